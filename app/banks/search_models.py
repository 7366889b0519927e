"""What can be searched. Each database has its own index over `terms`, made by the migration: see there."""

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base
from app.i18n.locales import Locale


class SearchDocument(Base):
    """One thing that a search can find, in one locale: a quiz, a section of a guide, a question."""

    __tablename__ = "search_document"

    id: Mapped[int] = mapped_column(primary_key=True)
    quiz_id: Mapped[int] = mapped_column(ForeignKey("quiz.id"), index=True)
    revision_id: Mapped[int] = mapped_column(ForeignKey("quiz_revision.id"))
    format: Mapped[int]  # how it was made: `search_documents.FORMAT` of that day
    kind: Mapped[str] = mapped_column(String(16))  # quiz, guide, item
    locale: Mapped[Locale] = mapped_column(String(8))
    anchor: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text)
    within: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    terms: Mapped[str] = mapped_column(Text)  # each once, with a space between; a title's also with its mark
    plain: Mapped[str] = mapped_column(Text)  # the words in order, folded
    marked: Mapped[str] = mapped_column(Text)  # the words in order, with their marks
