from typing import Annotated

from fastapi import Depends

from app.accounts.dependencies import Visitor
from app.attempts import queries
from app.attempts.queries import AttemptState
from app.banks.dependencies import Quizzes
from app.core.db import ReadSession


def own_attempt(attempt_id: str, visitor: Visitor, session: ReadSession, quizzes: Quizzes) -> AttemptState:
    """The attempt that the URL names, if it is the visitor's."""
    return queries.get_attempt(session.connection(), quizzes, attempt_id, visitor.public_id)


OwnAttempt = Annotated[AttemptState, Depends(own_attempt, scope="function")]
