"""Attempts as they are read: always the visitor's own, so that what is not yours looks absent."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from app.accounts.models import User
from app.attempts.models import Attempt, Response
from app.banks.content import ItemContent, QuizCache, QuizContent
from app.core.errors import NotFoundError
from app.core.marking import N_
from app.i18n.locales import Locale


@dataclass(frozen=True, slots=True)
class GivenResponse:
    """One answer: the option that was chosen, and what it scored."""

    chosen: str
    score: float


@dataclass(frozen=True, slots=True)
class AttemptState:
    """An attempt with its quiz's revision and the answers so far, by question number from 1."""

    id: int
    public_id: str
    quiz: QuizContent
    shown_options: list[list[str]]
    started_at: datetime
    finished_at: datetime | None
    score: float
    responses: Mapping[int, GivenResponse]

    @property
    def total(self) -> int:
        """How many questions there are."""
        return len(self.quiz.items)

    @property
    def is_closed(self) -> bool:
        """Whether it has ended: nothing can be answered any more."""
        return self.finished_at is not None

    @property
    def is_complete(self) -> bool:
        """Whether every question was answered."""
        return len(self.responses) == self.total

    def item(self, number: int) -> ItemContent:
        """The item of question `number`. Raises NotFoundError for a number that the quiz has not."""
        if not 1 <= number <= self.total:
            raise NotFoundError(N_("There is no question {number} here."), values={"number": number})
        return self.quiz.items[number - 1]

    def is_revealed(self, number: int) -> bool:
        """Whether the key and the explanation of question `number` may be shown."""
        return self.is_closed or number in self.responses

    def next_unanswered(self, after: int = 0) -> int | None:
        """The first question without an answer after `after`, else the first of all; None when complete."""
        open_numbers = [number for number in range(1, self.total + 1) if number not in self.responses]
        later = [number for number in open_numbers if number > after]
        return next(iter(later or open_numbers), None)


@dataclass(frozen=True, slots=True)
class AttemptSummary:
    """An attempt in a list."""

    public_id: str
    quiz_slug: str
    quiz_title: str
    answered: int
    total: int
    score: float
    started_at: datetime
    finished_at: datetime | None


_attempt, _response, _user = Attempt.__table__.c, Response.__table__.c, User.__table__.c

# Built once: building a statement costs several times what running it does. One row for each response.
_ATTEMPT = (
    select(
        _attempt.id,
        _attempt.quiz_revision_id,
        _attempt.shown_options,
        _attempt.started_at,
        _attempt.finished_at,
        _attempt.score,
        _response.position,
        _response.chosen,
        _response.score.label("response_score"),
    )
    .select_from(Attempt.__table__)
    .join(User.__table__, _user.id == _attempt.user_id)
    .outerjoin(Response.__table__, _response.attempt_id == _attempt.id)
    .where(_attempt.public_id == bindparam("public_id"), _user.public_id == bindparam("visitor_id"))
)
_LOCKED_ATTEMPT = _ATTEMPT.with_for_update(of=Attempt.__table__)


def get_attempt(
    connection: Connection, cache: QuizCache, public_id: str, visitor_id: str, *, lock: bool = False
) -> AttemptState:
    """The visitor's own attempt. Raises NotFoundError for one that is not there or not theirs.

    `lock` holds the row until the transaction ends (on SQLite the transaction holds the whole database). An
    answer that another process stored while this one waited for the lock may be missing from the result; the
    unique key then refuses a second one.
    """
    which = {"public_id": public_id, "visitor_id": visitor_id}
    rows = connection.execute(_LOCKED_ATTEMPT if lock else _ATTEMPT, which).all()
    if not rows:
        raise NotFoundError(N_("There is no such attempt in this browser."))
    attempt = rows[0]
    return AttemptState(
        id=attempt.id,
        public_id=public_id,
        quiz=cache.get(connection, attempt.quiz_revision_id),
        shown_options=attempt.shown_options,
        started_at=attempt.started_at,
        finished_at=attempt.finished_at,
        score=attempt.score,
        responses={
            row.position: GivenResponse(row.chosen[0], row.response_score)
            for row in rows
            if row.position is not None
        },
    )


_ATTEMPTS = (
    select(
        _attempt.public_id,
        _attempt.quiz_revision_id,
        _attempt.started_at,
        _attempt.finished_at,
        _attempt.score,
        select(func.count())
        .select_from(Response.__table__)
        .where(_response.attempt_id == _attempt.id)
        .scalar_subquery()
        .label("answered"),
    )
    .select_from(Attempt.__table__)
    .join(User.__table__, _user.id == _attempt.user_id)
    .where(_user.public_id == bindparam("visitor_id"))
    .order_by(_attempt.started_at.desc(), _attempt.id.desc())
    .limit(bindparam("most"))
)


def list_attempts(
    connection: Connection, cache: QuizCache, visitor_id: str, locale: Locale, *, limit: int = 100
) -> list[AttemptSummary]:
    """The visitor's attempts, the newest first."""
    rows = connection.execute(_ATTEMPTS, {"visitor_id": visitor_id, "most": limit}).all()
    return [_summary(row, cache.get(connection, row.quiz_revision_id), locale) for row in rows]


def newest_open(attempts: Iterable[AttemptSummary]) -> dict[str, AttemptSummary]:
    """The newest attempt that has not ended, by its quiz's slug; `attempts` come newest first."""
    found: dict[str, AttemptSummary] = {}
    for attempt in attempts:
        if attempt.finished_at is None:
            found.setdefault(attempt.quiz_slug, attempt)
    return found


def _summary(row: Any, quiz: QuizContent, locale: Locale) -> AttemptSummary:
    return AttemptSummary(
        public_id=row.public_id,
        quiz_slug=quiz.slug,
        quiz_title=quiz.wording(locale).title,
        answered=row.answered,
        total=len(quiz.items),
        score=row.score,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )
