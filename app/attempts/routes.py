"""A learner's path: the list of quizzes, a quiz, its questions one by one, the result."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.accounts.dependencies import Visitor
from app.attempts import pages, queries, service
from app.attempts.dependencies import OwnAttempt
from app.attempts.evidence import read_panel_of
from app.attempts.queries import AttemptState
from app.attempts.views import result_view
from app.banks import queries as bank_queries
from app.banks.dependencies import Quizzes
from app.core.db import ReadSession, WriterDep
from app.core.errors import BadRequestError
from app.core.marking import N_
from app.core.rendering import render, render_kept
from app.core.security import verify_csrf
from app.i18n.locales import Locale

router = APIRouter(prefix="/{locale}")
CSRF = Depends(verify_csrf)
RunId = Annotated[str | None, Query(max_length=64)]


@router.get("/")
def show_home(
    request: Request, locale: Locale, visitor: Visitor, session: ReadSession, quizzes: Quizzes
) -> HTMLResponse:
    """Every quiz, with the visitor's open attempt at it."""
    attempts = queries.list_attempts(session.connection(), quizzes, visitor.public_id, locale)
    found = bank_queries.list_quizzes(session, quizzes)
    return render(
        request,
        "banks/home.html",
        quizzes=[bank_queries.quiz_view(quiz, locale) for quiz in found],
        open_attempts=queries.newest_open(attempts),
    )


@router.get("/quizzes/{slug}")
def show_quiz(
    request: Request, locale: Locale, slug: str, visitor: Visitor, quizzes: Quizzes
) -> HTMLResponse:
    """A quiz before it is taken."""
    with request.app.state.engine.connect() as connection:
        quiz = bank_queries.get_current_quiz(connection, quizzes, slug)
        attempts = queries.list_attempts(connection, quizzes, visitor.public_id, locale)
    open_attempt = queries.newest_open(attempts).get(slug)

    def context(marks: Mapping[str, Markup]) -> dict[str, Any]:
        return {
            "here": f"/{locale}/quizzes/{slug}",
            "quiz": bank_queries.quiz_view(quiz, locale),
            "open_attempt": open_attempt and replace(open_attempt, public_id=marks["attempt_id"]),
        }

    return render_kept(
        request,
        "banks/quiz.html",
        key=(quiz.revision_id, open_attempt and open_attempt.answered),
        holes={"attempt_id": open_attempt.public_id if open_attempt else ""},
        context=context,
    )


@router.post("/quizzes/{slug}/attempts", dependencies=[CSRF])
async def start_attempt(
    request: Request, locale: Locale, slug: str, visitor: Visitor, writer: WriterDep, quizzes: Quizzes
) -> Response:
    """Begin an attempt."""
    public_id = await writer.run(
        lambda connection: service.start_attempt(
            connection, quizzes, slug=slug, visitor_id=visitor.public_id, locale=locale
        )
    )
    return _see_other(request, "show_question", locale=locale, attempt_id=public_id, number=1)


@router.get("/attempts/")
def list_attempts(
    request: Request, locale: Locale, visitor: Visitor, session: ReadSession, quizzes: Quizzes
) -> HTMLResponse:
    """The visitor's attempts, to come back to."""
    attempts = queries.list_attempts(session.connection(), quizzes, visitor.public_id, locale)
    return render(request, "attempts/list.html", attempts=attempts)


@router.get("/attempts/{attempt_id}")
def show_attempt(request: Request, locale: Locale, attempt: OwnAttempt) -> Response:
    """Where the learner is: the first open question, the last one, or the result."""
    if attempt.is_closed:
        return _see_other(request, "show_result", locale=locale, attempt_id=attempt.public_id)
    number = attempt.next_unanswered() or attempt.total
    return _see_other(request, "show_question", locale=locale, attempt_id=attempt.public_id, number=number)


@router.get("/attempts/{attempt_id}/questions/{number}")
def show_question(
    request: Request,
    locale: Locale,
    attempt_id: str,
    number: int,
    option: Annotated[str | None, Query(max_length=80)] = None,
    run: RunId = None,
) -> HTMLResponse:
    """One question; once answered, with its evidence. `option` keeps a choice over a change of language."""
    attempt = _read_attempt(request, attempt_id)
    panel = read_panel_of(request, attempt, number, locale, run)
    return pages.show_question(request, attempt, number, locale, panel, selected=option)


@router.get("/attempts/{attempt_id}/questions/{number}/evidence")
def show_evidence(
    request: Request, locale: Locale, attempt_id: str, number: int, run: RunId = None
) -> HTMLResponse:
    """The explanation with its measured numbers, and the panel: the region that a finished run asks for."""
    panel = read_panel_of(request, _read_attempt(request, attempt_id), number, locale, run)
    if panel is None:
        raise BadRequestError(N_("There is no measurement to show here yet: answer the question first."))
    return render(
        request,
        "demos/evidence.html",
        part="demos/_evidence.html",
        back_url=panel.return_to,
        **panel.context(),
    )


@router.get("/attempts/{attempt_id}/responses")
def reload_response(request: Request, locale: Locale, attempt_id: str) -> Response:
    """A reader who comes back to the address that an answer was sent to, without sending one."""
    return _see_other(request, "show_attempt", locale=locale, attempt_id=attempt_id)


@router.post("/attempts/{attempt_id}/finish", dependencies=[CSRF])
async def finish_attempt(
    request: Request, locale: Locale, attempt_id: str, visitor: Visitor, writer: WriterDep, quizzes: Quizzes
) -> Response:
    """End an attempt and show its result."""
    await writer.run(
        lambda connection: service.finish_attempt(
            connection, quizzes, attempt_id=attempt_id, visitor_id=visitor.public_id
        )
    )
    return _see_other(request, "show_result", locale=locale, attempt_id=attempt_id)


@router.get("/attempts/{attempt_id}/result")
def show_result(request: Request, locale: Locale, attempt: OwnAttempt) -> Response:
    """The result; while the attempt is open, the question that is next."""
    if attempt.finished_at is None:
        return _see_other(request, "show_attempt", locale=locale, attempt_id=attempt.public_id)
    return render(request, "attempts/result.html", result=result_view(attempt, attempt.finished_at, locale))


def _read_attempt(request: Request, attempt_id: str) -> AttemptState:
    """The visitor's own attempt. Opened here: each reading dependency would be one more change of thread."""
    state = request.app.state
    with state.engine.connect() as connection:
        return queries.get_attempt(connection, state.quizzes, attempt_id, request.state.visitor_id)


def _see_other(request: Request, name: str, **path: object) -> RedirectResponse:
    return RedirectResponse(request.app.url_path_for(name, **path), status_code=303)
