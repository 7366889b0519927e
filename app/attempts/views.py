"""What the attempt's pages draw, in one locale. No key and no explanation before there is an answer."""

from dataclasses import dataclass
from datetime import datetime

from app.attempts.queries import AttemptState
from app.banks.content import ItemWording
from app.core.document import Section
from app.i18n.locales import Locale


@dataclass(frozen=True, slots=True)
class OptionView:
    """One option in the order in which this attempt shows it; feedback once there is an answer."""

    id: str
    text: str
    feedback: str


@dataclass(frozen=True, slots=True)
class QuestionView:
    """One question of an attempt, before or after its answer."""

    attempt_id: str
    quiz_slug: str
    quiz_title: str
    number: int
    total: int
    answered: int
    stem: str
    options: list[OptionView]
    selected: str | None
    chosen: str | None
    key: str | None
    explanation: str | None
    is_right: bool | None
    is_closed: bool
    previous_number: int | None
    next_number: int | None
    can_finish: bool
    section: Section | None  # of the guide, to read after a wrong answer


@dataclass(frozen=True, slots=True)
class ResultLine:
    """One question of a result: what was chosen and what is right."""

    number: int
    stem: str
    chosen_text: str | None
    key_text: str
    is_right: bool | None
    section: Section | None  # of the guide


@dataclass(frozen=True, slots=True)
class ResultView:
    """An attempt that ended."""

    attempt_id: str
    quiz_slug: str
    quiz_title: str
    score: float
    total: int
    started_at: datetime
    finished_at: datetime
    questions: list[ResultLine]


def question_path(locale: Locale, attempt_id: str, number: int) -> str:
    """Where question `number` of an attempt is."""
    return f"/{locale}/attempts/{attempt_id}/questions/{number}"


def question_view(
    attempt: AttemptState, number: int, locale: Locale, *, selected: str | None = None
) -> QuestionView:
    """Question `number` as the learner sees it now. Raises NotFoundError for a number there is not."""
    item = attempt.item(number)
    wording = item.wording(locale)
    given = attempt.responses.get(number)
    is_revealed = attempt.is_revealed(number)
    return QuestionView(
        attempt_id=attempt.public_id,
        quiz_slug=attempt.quiz.slug,
        quiz_title=attempt.quiz.wording(locale).title,
        number=number,
        total=attempt.total,
        answered=len(attempt.responses),
        stem=wording.stem,
        options=[
            option_view(wording, option, is_revealed=is_revealed)
            for option in attempt.shown_options[number - 1]
        ],
        selected=selected if selected in item.options else None,
        chosen=given.chosen if given else None,
        key=item.key[0] if is_revealed else None,
        explanation=wording.explanation if is_revealed else None,
        is_right=given.score == 1.0 if given else None,
        is_closed=attempt.is_closed,
        previous_number=number - 1 if number > 1 else None,
        next_number=next_number(attempt, number),
        can_finish=attempt.is_complete and not attempt.is_closed,
        section=attempt.quiz.find_section(item, locale) if is_revealed else None,
    )


def option_view(wording: ItemWording, option: str, *, is_revealed: bool = False) -> OptionView:
    """One option of an item."""
    text = wording.options[option]
    return OptionView(option, text.text, text.feedback * is_revealed)


def result_view(attempt: AttemptState, finished_at: datetime, locale: Locale) -> ResultView:
    """The result of an attempt that ended at `finished_at`."""
    lines = []
    for number, item in enumerate(attempt.quiz.items, 1):
        wording = item.wording(locale)
        given = attempt.responses.get(number)
        lines.append(
            ResultLine(
                number=number,
                stem=wording.stem,
                chosen_text=wording.options[given.chosen].text if given else None,
                key_text=wording.options[item.key[0]].text,
                is_right=given.score == 1.0 if given else None,
                section=attempt.quiz.find_section(item, locale),
            )
        )
    return ResultView(
        attempt_id=attempt.public_id,
        quiz_slug=attempt.quiz.slug,
        quiz_title=attempt.quiz.wording(locale).title,
        score=attempt.score,
        total=attempt.total,
        started_at=attempt.started_at,
        finished_at=finished_at,
        questions=lines,
    )


def next_number(attempt: AttemptState, number: int) -> int | None:
    """Where «Next» leads: the next open question, or through all of them once the attempt has ended."""
    if attempt.is_closed:
        return number + 1 if number < attempt.total else None
    following = attempt.next_unanswered(after=number)
    return following if following != number else None
