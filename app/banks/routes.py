"""A quiz's guide: its page, and each of its live demos with the parameters that a reader gave it."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse

from app.banks import queries
from app.banks.content import QuizContent
from app.banks.dependencies import Quizzes
from app.banks.guide_views import draw_parts, guide_path, list_contents, live_view
from app.banks.guides import GuideBlock
from app.core.db import ReadSession
from app.core.errors import BadRequestError, NotFoundError
from app.core.marking import N_
from app.core.rendering import render
from app.demos.dependencies import AskerDep, DemoEngineDep, GivenParams
from app.demos.panel import EvidencePanel, list_fields, read_panel
from app.demos.spec import ParamError, Params
from app.i18n.locales import Locale
from app.i18n.translations import gettext

router = APIRouter(prefix="/{locale}/quizzes/{slug}/guide")
RunOfQuery = Annotated[str | None, Query(max_length=64)]


def current_quiz(locale: Locale, slug: str, session: ReadSession, quizzes: Quizzes) -> QuizContent:  # noqa: ARG001
    """The newest revision of the quiz that the URL names. Raises NotFoundError."""
    return queries.get_current_quiz(session.connection(), quizzes, slug)


CurrentQuiz = Annotated[QuizContent, Depends(current_quiz, scope="function")]


@router.get("")
def show_guide(
    request: Request,
    locale: Locale,
    quiz: CurrentQuiz,
    *,
    session: ReadSession,
    runs: DemoEngineDep,
    who: AskerDep,
    run: RunOfQuery = None,
) -> HTMLResponse:
    """A quiz's guide, with what its demos have measured."""
    guide = queries.get_guide(quiz)
    path = guide_path(locale, quiz.slug)
    panels = {
        block.name: read_panel(session, runs, block_panel(path, block, block.params), who, run)
        for block in guide.blocks
    }
    words = guide.wording(locale)
    return render(
        request,
        "banks/guide.html",
        quiz=queries.quiz_view(quiz, locale),
        guide=words,
        contents=list_contents(words),
        parts=draw_parts(quiz, words, panels, locale),
        is_measuring=any(panel.run and panel.run.is_open for panel in panels.values()),
    )


def block_of_path(quiz: CurrentQuiz, name: str) -> GuideBlock:
    """The guide's live demo that the URL names. Raises NotFoundError."""
    block = queries.get_guide(quiz).find_block(name)
    if block is None:
        raise NotFoundError(N_("The guide has no demo of this name."))
    return block


BlockOfPath = Annotated[GuideBlock, Depends(block_of_path)]


def block_panel(path: str, block: GuideBlock, params: Params) -> EvidencePanel:
    """The region of a live demo, unread. With the guide's own parameters it belongs to the guide's page."""
    at = f"{path}/demos/{block.name}"
    query = f"?{urlencode(params.to_json())}"
    is_own = params == block.params
    return EvidencePanel(
        demo=block.demo,
        params=params,
        evidence_url=f"{at}/evidence{query}",
        return_to=f"{path}#demo-{block.name}" if is_own else at + query,
        region=f"-{block.name}",
    )


def given_panel(
    locale: Locale,
    quiz: CurrentQuiz,
    block: BlockOfPath,
    given: GivenParams,
    *,
    session: ReadSession,
    runs: DemoEngineDep,
    who: AskerDep,
    run: RunOfQuery = None,
) -> EvidencePanel | ParamError:
    """The region for the parameters in the query, or what is wrong with one of them."""
    try:
        params = block.demo.parse_params({**block.params.to_json(), **given})
    except ParamError as error:
        return error
    panel = block_panel(guide_path(locale, quiz.slug), block, params)
    return read_panel(session, runs, panel, who, run)


GivenPanel = Annotated[EvidencePanel | ParamError, Depends(given_panel, scope="function")]


@router.get("/demos/{name}")
def show_guide_demo(
    request: Request,
    locale: Locale,
    quiz: CurrentQuiz,
    block: BlockOfPath,
    given: GivenParams,
    panel: GivenPanel,
) -> HTMLResponse:
    """One live demo of a guide, by itself: a part for htmx, a page for readers without JavaScript.

    A parameter that is out of bounds is shown as it was written, with what is wrong beside it.
    """
    path = guide_path(locale, quiz.slug)
    if isinstance(panel, ParamError):
        problem = gettext(locale, panel.message).format(**panel.values)
        fields = list_fields(block.params, given, {panel.name: problem})
        live, status = live_view(path, block, None, fields, problem), BadRequestError.status
    else:
        live, status = live_view(path, block, panel, list_fields(panel.params)), 200
    guide = queries.get_guide(quiz).wording(locale)
    page, part = "banks/guide_demo.html", "banks/_live.html"
    return render(request, page, part=part, status=status, live=live, guide=guide, guide_url=path)


@router.get("/demos/{name}/evidence")
def show_guide_evidence(request: Request, panel: GivenPanel) -> HTMLResponse:
    """The evidence region of a live demo."""
    if isinstance(panel, ParamError):
        raise BadRequestError(panel.message, values=panel.values)
    page, part = "demos/evidence.html", "demos/_evidence.html"
    return render(request, page, part=part, back_url=panel.return_to, **panel.context())
