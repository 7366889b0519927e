"""Banks, items, quizzes and guides. What learners see lives in numbered revisions that are never changed."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Json
from app.i18n.locales import Locale

SLUG_LENGTH = 80


class Bank(Base):
    """A titled set of items: the unit of authoring, import and export."""

    __tablename__ = "bank"

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(SLUG_LENGTH), unique=True)
    title: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime]


class Item(Base):
    """A question with a stable id, one in all languages."""

    __tablename__ = "item"
    __table_args__ = (UniqueConstraint("bank_id", "slug"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    bank_id: Mapped[int] = mapped_column(ForeignKey("bank.id"))
    slug: Mapped[str] = mapped_column(String(SLUG_LENGTH))
    created_at: Mapped[datetime]


class ItemRevision(Base):
    """One immutable state of an item: its type, key, options and evidence; the wording is in ItemText."""

    __tablename__ = "item_revision"
    __table_args__ = (UniqueConstraint("item_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"))
    number: Mapped[int]
    type: Mapped[str] = mapped_column(String(32))
    key: Mapped[list[str]] = mapped_column(Json)  # option ids
    options: Mapped[list[str]] = mapped_column(Json)  # option ids in the author's order
    evidence: Mapped[dict[str, Any] | None] = mapped_column(Json)  # demo, params, expect: supports the key
    refutations: Mapped[dict[str, dict[str, Any]]] = mapped_column(Json)  # the same by wrong option's id
    section: Mapped[str | None] = mapped_column(String(SLUG_LENGTH))  # of the quiz's guide, to read about it
    content_hash: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]


class ItemText(Base):
    """The wording of one revision in one locale; grading never reads it."""

    __tablename__ = "item_text"
    __table_args__ = (UniqueConstraint("revision_id", "locale"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    revision_id: Mapped[int] = mapped_column(ForeignKey("item_revision.id"))
    locale: Mapped[Locale] = mapped_column(String(8))
    status: Mapped[str] = mapped_column(String(16))  # draft, reviewed, stale
    stem: Mapped[str] = mapped_column(Text)
    explanation: Mapped[str] = mapped_column(Text)
    options: Mapped[dict[str, dict[str, str]]] = mapped_column(Json)  # option id: text, feedback
    version: Mapped[int]  # refuses a stale save


class Guide(Base):
    """A tutorial in sections."""

    __tablename__ = "guide"

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(SLUG_LENGTH), unique=True)
    created_at: Mapped[datetime]


class GuideRevision(Base):
    """One immutable state of a guide."""

    __tablename__ = "guide_revision"
    __table_args__ = (UniqueConstraint("guide_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    guide_id: Mapped[int] = mapped_column(ForeignKey("guide.id"))
    number: Mapped[int]
    content_hash: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]


class GuideText(Base):
    """A guide in one locale: title and Markdown."""

    __tablename__ = "guide_text"
    __table_args__ = (UniqueConstraint("revision_id", "locale"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    revision_id: Mapped[int] = mapped_column(ForeignKey("guide_revision.id"))
    locale: Mapped[Locale] = mapped_column(String(8))
    title: Mapped[str] = mapped_column(String(300))
    body: Mapped[str] = mapped_column(Text)


class Quiz(Base):
    """An ordered choice of items with its rules; a new attempt gets the newest revision."""

    __tablename__ = "quiz"

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(SLUG_LENGTH), unique=True)
    bank_id: Mapped[int] = mapped_column(ForeignKey("bank.id"))
    created_at: Mapped[datetime]


class QuizRevision(Base):
    """One immutable state of a quiz: level, guide, and its items' revisions in order."""

    __tablename__ = "quiz_revision"
    __table_args__ = (UniqueConstraint("quiz_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    quiz_id: Mapped[int] = mapped_column(ForeignKey("quiz.id"))
    number: Mapped[int]
    level: Mapped[str] = mapped_column(String(16))
    guide_revision_id: Mapped[int | None] = mapped_column(ForeignKey("guide_revision.id"))
    content_hash: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]


class QuizText(Base):
    """Title and description of a quiz's revision in one locale."""

    __tablename__ = "quiz_text"
    __table_args__ = (UniqueConstraint("revision_id", "locale"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    revision_id: Mapped[int] = mapped_column(ForeignKey("quiz_revision.id"))
    locale: Mapped[Locale] = mapped_column(String(8))
    title: Mapped[str] = mapped_column(String(300))
    description: Mapped[str] = mapped_column(Text)


class QuizItem(Base):
    """The place of an item's revision in a quiz's revision."""

    __tablename__ = "quiz_item"
    __table_args__ = (UniqueConstraint("quiz_revision_id", "position"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    quiz_revision_id: Mapped[int] = mapped_column(ForeignKey("quiz_revision.id"))
    item_revision_id: Mapped[int] = mapped_column(ForeignKey("item_revision.id"))
    position: Mapped[int]  # from 1
