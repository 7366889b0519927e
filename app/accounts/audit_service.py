from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert
from sqlalchemy.orm import Session

from app.accounts.audit_models import AuditEntry
from app.core.db import now


@dataclass(frozen=True, slots=True)
class Actor:
    """Who did it, and from where; the command line is nobody at no address."""

    user_id: int | None
    address: str = ""


def record(
    session: Session | Connection,
    actor: Actor,
    action: str,
    subject: tuple[str, object],
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str | None = None,
) -> None:
    """Write an audit row in the caller's transaction: what was done and its record stand or fall together."""
    kind, subject_id = subject
    session.execute(
        insert(AuditEntry).values(
            at=now(),
            actor_id=actor.user_id,
            action=action,
            subject_kind=kind,
            subject_id=str(subject_id),
            before=dict(before) if before is not None else None,
            after=dict(after) if after is not None else None,
            reason=reason,
            address=actor.address,
        )
    )
