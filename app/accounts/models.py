from datetime import datetime
from enum import StrEnum

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base


class Role(StrEnum):
    """What a person may do."""

    LEARNER = "learner"
    INSTRUCTOR = "instructor"
    ADMIN = "admin"


class User(Base):
    """A person. An anonymous learner is one without an e-mail, known by the cookie's name alone."""

    __tablename__ = "user_account"

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[Role] = mapped_column(String(16))
    created_at: Mapped[datetime]
