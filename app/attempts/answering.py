"""Answering a question: what a whole class does at the same moment.

A plain ASGI route, because what FastAPI does around an endpoint costs more than everything that is done here.
"""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse

from app.attempts.evidence import read_panel_of
from app.attempts.pages import show_question
from app.attempts.service import AttemptClosedError, NoOptionError, record_response
from app.core.errors import BadRequestError, NotFoundError
from app.core.marking import N_
from app.core.security import read_form, verify_csrf
from app.i18n.negotiation import find_locale
from app.i18n.translations import gettext

PATH = "/{locale}/attempts/{attempt_id}/responses"
NUMBER_DIGITS = 4


async def post_response(request: Request) -> HTMLResponse:
    """Answer a question of the visitor's own attempt, and show it with its feedback."""
    locale = find_locale(request.path_params["locale"])
    if locale is None:
        raise NotFoundError(N_("There is no such page."))
    await verify_csrf(request)
    form = await read_form(request)
    number, option = _question_number(form.get("question")), str(form.get("option", ""))
    state = request.app.state
    try:
        attempt = await state.writer.run(
            lambda connection: record_response(
                connection,
                state.quizzes,
                attempt_id=request.path_params["attempt_id"],
                visitor_id=request.state.visitor_id,
                number=number,
                option=option,
                locale=locale,
            )
        )
    except (AttemptClosedError, NoOptionError) as error:
        problem = gettext(locale, error.message)
        return show_question(request, error.attempt, number, locale, status=error.status, problem=problem)
    panel = None
    if "HX-Request" not in request.headers:  # a whole page has its evidence in it
        panel = await run_in_threadpool(read_panel_of, request, attempt, number, locale)
    return show_question(request, attempt, number, locale, panel)


def _question_number(field: object) -> int:
    if isinstance(field, str) and field.isascii() and field.isdigit() and len(field) <= NUMBER_DIGITS:
        return int(field)
    raise BadRequestError(N_("The answer does not say which question it is for."))
