from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.banks import queries
from app.banks.dependencies import Quizzes
from app.core.db import ReadSession
from app.core.rendering import render
from app.i18n.locales import Locale

router = APIRouter(prefix="/{locale}")


@router.get("/quizzes/{slug}/guide")
def show_guide(
    request: Request, locale: Locale, slug: str, session: ReadSession, quizzes: Quizzes
) -> HTMLResponse:
    """A quiz's guide."""
    quiz = queries.get_current_quiz(session.connection(), quizzes, slug)
    return render(
        request,
        "banks/guide.html",
        quiz=queries.quiz_view(quiz, locale),
        guide=queries.get_guide(session, quiz, locale),
    )
