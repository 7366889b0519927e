"""A question's page, and its part for htmx. Most of it is the same for all who are at that question."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from app.attempts.evidence import unread_panel
from app.attempts.queries import AttemptState
from app.attempts.views import next_number, option_view, question_path, question_view
from app.core.rendering import kept_piece, render, render_kept
from app.demos.panel import EvidencePanel
from app.i18n.locales import Locale

PAGE, PART = "attempts/question.html", "attempts/_question.html"


def show_question(
    request: Request,
    attempt: AttemptState,
    number: int,
    locale: Locale,
    panel: EvidencePanel | None = None,
    *,
    selected: str | None = None,
    status: int = 200,
    problem: str | None = None,
) -> HTMLResponse:
    """Question `number` as it stands in an attempt, with what `panel` has read. Raises NotFoundError."""
    if panel is None and selected is None and problem is None and not attempt.is_closed:
        return _show_kept(request, attempt, number, locale)
    panel = panel or unread_panel(attempt, number, locale)
    return render(
        request,
        PAGE,
        part=PART,
        status=status,
        here=None if request.method == "GET" else question_path(locale, attempt.public_id, number),
        question=question_view(attempt, number, locale, selected=selected),
        problem=problem,
        **(panel.context() if panel else {}),
    )


def _show_kept(request: Request, attempt: AttemptState, number: int, locale: Locale) -> HTMLResponse:
    item = attempt.item(number)
    given = attempt.responses.get(number)
    chosen = given.chosen if given else None

    def context(marks: Mapping[str, Markup]) -> dict[str, Any]:
        marked = replace(attempt, public_id=marks["attempt_id"])
        panel = unread_panel(marked, number, locale)
        return {
            "here": question_path(locale, marked.public_id, number),
            "question": question_view(marked, number, locale),
            "options_html": marks["options"],
            **(panel.context() if panel else {}),
        }

    def draw_option(option: str, place: int) -> str:
        return kept_piece(
            request,
            locale,
            "attempts/_option.html" if chosen is None else "attempts/_revealed_option.html",
            key=(item.revision_id, option, place if chosen is None else chosen),
            context=lambda: {
                "option": option_view(item.wording(locale), option),
                "place": place,
                "chosen": chosen,
                "key": item.key[0],
                "selected": None,
            },
        )

    shown = attempt.shown_options[number - 1]
    return render_kept(
        request,
        PAGE,
        part=PART,
        key=(
            attempt.quiz.revision_id,
            number,
            chosen,
            len(attempt.responses),
            next_number(attempt, number),
        ),
        holes={
            "attempt_id": attempt.public_id,
            "options": "".join(draw_option(option, place) for place, option in enumerate(shown, 1)),
        },
        context=context,
    )
