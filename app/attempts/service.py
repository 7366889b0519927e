"""What changes an attempt. Each function is one job on the writer: it reads, decides and writes in one go."""

import secrets
from dataclasses import replace
from typing import cast

from sqlalchemy import Connection, Table, bindparam, insert, update

from app.accounts.service import ensure_user
from app.attempts.grading import grade
from app.attempts.models import Attempt, Response
from app.attempts.queries import AttemptState, GivenResponse, get_attempt
from app.banks.content import QuizCache
from app.banks.queries import get_current_quiz
from app.core.db import now
from app.core.errors import BadRequestError, ConflictError
from app.core.marking import N_
from app.i18n.locales import Locale

_random = secrets.SystemRandom()

# Built once, and from the tables themselves: the answer path is what a whole class takes at the same moment.
_attempts = cast("Table", Attempt.__table__)
_ADD_RESPONSE = insert(cast("Table", Response.__table__)).inline()
_ADD_TO_SCORE = (
    update(_attempts)
    .where(_attempts.c.id == bindparam("attempt"))
    .values(score=_attempts.c.score + bindparam("points"))
)


class AttemptClosedError(ConflictError):
    """An answer came after the attempt had ended; it was not counted. `attempt` is how it stands."""

    def __init__(self, attempt: AttemptState) -> None:
        super().__init__(N_("This attempt has ended. Your score stays as it was."))
        self.attempt = attempt


class NoOptionError(BadRequestError):
    """A response names no option of the question. `attempt` is how it stands."""

    def __init__(self, attempt: AttemptState) -> None:
        super().__init__(N_("Choose one of the options first."))
        self.attempt = attempt


def start_attempt(
    connection: Connection, cache: QuizCache, *, slug: str, visitor_id: str, locale: Locale
) -> str:
    """Begin an attempt at the quiz's current revision; returns its public id. Raises NotFoundError."""
    quiz = get_current_quiz(connection, cache, slug)
    public_id = secrets.token_urlsafe(12)
    connection.execute(
        insert(Attempt).values(
            public_id=public_id,
            user_id=ensure_user(connection, visitor_id),
            quiz_id=quiz.quiz_id,
            quiz_revision_id=quiz.revision_id,
            locale=locale,
            shown_options=[_random.sample(item.options, len(item.options)) for item in quiz.items],
            started_at=now(),
            score=0.0,
            max_score=float(len(quiz.items)),
        )
    )
    return public_id


def record_response(
    connection: Connection,
    cache: QuizCache,
    *,
    attempt_id: str,
    visitor_id: str,
    number: int,
    option: str,
    locale: Locale,
) -> AttemptState:
    """Answer question `number` once; an answer that is already there stays, whatever comes after it.

    Returns the attempt with the answer in it. Raises NotFoundError, NoOptionError, AttemptClosedError.
    """
    attempt = get_attempt(connection, cache, attempt_id, visitor_id, lock=True)
    item = attempt.item(number)
    if attempt.is_closed:
        raise AttemptClosedError(attempt)
    if number in attempt.responses:
        return attempt
    if option not in item.options:
        raise NoOptionError(attempt)
    score = grade(item.type, item.key, [option])
    connection.execute(
        _ADD_RESPONSE,
        {
            "attempt_id": attempt.id,
            "item_id": item.item_id,
            "item_revision_id": item.revision_id,
            "position": number,
            "locale": locale,
            "chosen": [option],
            "score": score,
            "answered_at": now(),
        },
    )
    connection.execute(_ADD_TO_SCORE, {"attempt": attempt.id, "points": score})
    responses = {**attempt.responses, number: GivenResponse(option, score)}
    return replace(attempt, score=attempt.score + score, responses=responses)


def finish_attempt(connection: Connection, cache: QuizCache, *, attempt_id: str, visitor_id: str) -> None:
    """End the attempt; ending it again changes nothing. Raises NotFoundError."""
    attempt = get_attempt(connection, cache, attempt_id, visitor_id, lock=True)
    if not attempt.is_closed:
        connection.execute(update(Attempt).where(Attempt.id == attempt.id).values(finished_at=now()))
