"""What people in charge did: append-only, so that a report can be trusted."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Json


class AuditEntry(Base):
    """Who did what to what, when, and how it was before and after. The database refuses to change one."""

    __tablename__ = "audit_entry"
    __table_args__ = (Index("ix_audit_entry_subject", "subject_kind", "subject_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(index=True)
    actor_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.id"), index=True)  # none: a command
    action: Mapped[str] = mapped_column(String(64))  # "user.role", "quiz.publish": a noun, a verb
    subject_kind: Mapped[str] = mapped_column(String(32))
    subject_id: Mapped[str] = mapped_column(String(80))
    before: Mapped[dict[str, Any] | None] = mapped_column(Json)
    after: Mapped[dict[str, Any] | None] = mapped_column(Json)
    reason: Mapped[str | None] = mapped_column(String(500))
    address: Mapped[str] = mapped_column(String(64))
