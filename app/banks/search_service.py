"""Keeps the documents of the search what the newest revisions say, in the transaction that changes those."""

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from app.banks.content import read_quiz_revision
from app.banks.models import Quiz, QuizRevision
from app.banks.search_documents import FORMAT, list_documents
from app.banks.search_models import SearchDocument


def index_quizzes(session: Session) -> int:
    """Bring the documents of every quiz up to date; how many quizzes needed it."""
    return sum([index_quiz(session, quiz_id) for quiz_id in session.scalars(select(Quiz.id)).all()])


def index_quiz(session: Session, quiz_id: int) -> bool:
    """Put the documents of a quiz's newest revision in place of its older ones; False where they stand."""
    newest = session.scalar(select(func.max(QuizRevision.id)).where(QuizRevision.quiz_id == quiz_id))
    held = session.execute(
        select(SearchDocument.revision_id, SearchDocument.format)
        .where(SearchDocument.quiz_id == quiz_id)
        .distinct()
    ).all()
    if [tuple(row) for row in held] == [(newest, FORMAT)]:
        return False
    session.execute(delete(SearchDocument).where(SearchDocument.quiz_id == quiz_id))
    if newest is None:
        return False
    quiz = read_quiz_revision(session.connection(), newest)
    common = {"quiz_id": quiz_id, "revision_id": newest, "format": FORMAT}
    rows = [
        common
        | {name: getattr(each, name) for name in ("kind", "locale", "anchor", "title", "within", "text")}
        | each.indexed()
        for each in list_documents(quiz)
    ]
    session.execute(insert(SearchDocument), rows)
    return True
