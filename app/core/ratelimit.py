"""Rate limits that hold across processes: kept in the database, one row a name.

The generic cell rate algorithm: a row holds the time at which the allowance is whole again. Each taking moves
it by one share; where that would be further off than the whole period, the taking is refused. So `limit` may
be taken at once, and then one each `period / limit`.
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.core.db import Base, now
from app.core.errors import TooManyRequestsError
from app.core.marking import N_


class RateLimit(Base):
    """How much of an allowance is used: it is whole again at `whole_at`."""

    __tablename__ = "rate_limit"

    name: Mapped[str] = mapped_column(primary_key=True)  # "measure:<who>": what is limited, and for whom
    whole_at: Mapped[datetime]


@dataclass(frozen=True, slots=True)
class Allowance:
    """`limit` takings in any `period`."""

    limit: int
    period: timedelta

    @property
    def share(self) -> timedelta:
        """How long one taking needs to grow back."""
        return self.period / self.limit


class RateLimitError(TooManyRequestsError):
    """An allowance is used up; `retry_seconds` until one more may be taken."""

    def __init__(self, retry_seconds: int) -> None:
        super().__init__(
            N_("You have asked for many measurements. Try again in {seconds} seconds."),
            values={"seconds": retry_seconds},
        )
        self.retry_seconds = retry_seconds


def take(session: Session, name: str, allowance: Allowance, *, at: datetime | None = None) -> None:
    """Take one from the allowance of that name, in a writing session; RateLimitError when it is used up.

    Whoever raises the error must not commit: with several names, all are taken or none.
    """
    asked_at = at or now()
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    row_lock = insert(RateLimit).values(name=name, whole_at=asked_at)
    session.execute(row_lock.on_conflict_do_update(index_elements=["name"], set_={"name": name}))
    row = session.get_one(RateLimit, name, populate_existing=True)
    whole_at = max(row.whole_at, asked_at) + allowance.share
    excess = whole_at - asked_at - allowance.period
    if excess > timedelta(0):
        raise RateLimitError(math.ceil(excess.total_seconds()))
    row.whole_at = whole_at
    session.flush()


def forget_whole(session: Session, *, at: datetime | None = None) -> None:
    """Delete the rows whose allowance is whole again: they say nothing that no row would not."""
    session.execute(delete(RateLimit).where(RateLimit.whole_at < (at or now())))
