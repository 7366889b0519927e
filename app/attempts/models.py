from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Json
from app.i18n.locales import Locale


class Attempt(Base):
    """One learner's run through a quiz; it keeps the revision and the order that it began with."""

    __tablename__ = "attempt"
    __table_args__ = (Index("ix_attempt_user_id_started_at", "user_id", "started_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(32), unique=True)  # in the URL
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"))
    quiz_id: Mapped[int] = mapped_column(ForeignKey("quiz.id"), index=True)
    quiz_revision_id: Mapped[int] = mapped_column(ForeignKey("quiz_revision.id"))
    locale: Mapped[Locale] = mapped_column(String(8))  # that it was started in; each response keeps its own
    shown_options: Mapped[list[list[str]]] = mapped_column(Json)  # a question each: option ids as shown
    started_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    score: Mapped[float]  # points so far
    max_score: Mapped[float]


class Response(Base):
    """One answer, graded by option id; append-only, and one for each item of an attempt."""

    __tablename__ = "response"
    __table_args__ = (UniqueConstraint("attempt_id", "item_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    attempt_id: Mapped[int] = mapped_column(ForeignKey("attempt.id"))
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"))
    item_revision_id: Mapped[int] = mapped_column(ForeignKey("item_revision.id"), index=True)
    position: Mapped[int]  # of the question in the quiz, from 1
    locale: Mapped[Locale] = mapped_column(String(8))  # that the question was read in
    chosen: Mapped[list[str]] = mapped_column(Json)  # option ids
    score: Mapped[float]  # 0 to 1
    answered_at: Mapped[datetime]
