"""Classes: an instructor's learners."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.accounts.models import EMAIL_LENGTH, NAME_LENGTH
from app.core.db import Base


class Group(Base):
    """A class of learners, kept by its owner."""

    __tablename__ = "learner_group"

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(32), unique=True)  # in the URL
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    owner_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"), index=True)
    join_code: Mapped[str | None] = mapped_column(String(64), unique=True)  # none: nobody joins by link now
    created_at: Mapped[datetime]
    archived_at: Mapped[datetime | None]


class GroupMember(Base):
    """A learner's place in a class."""

    __tablename__ = "group_member"
    __table_args__ = (UniqueConstraint("group_id", "user_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    group_id: Mapped[int] = mapped_column(ForeignKey("learner_group.id"))
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.id"), index=True)
    roster_id: Mapped[str | None] = mapped_column(String(64))  # the institution's own number: text, `0071`
    joined_at: Mapped[datetime]


class RosterEntry(Base):
    """Someone on a roster who has no account yet; whoever verifies that e-mail joins."""

    __tablename__ = "roster_entry"
    __table_args__ = (UniqueConstraint("group_id", "email_key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    group_id: Mapped[int] = mapped_column(ForeignKey("learner_group.id"))
    email_key: Mapped[str] = mapped_column(String(EMAIL_LENGTH), index=True)
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    roster_id: Mapped[str | None] = mapped_column(String(64))
    created_at: Mapped[datetime]
