from sqlalchemy import Connection, insert, select

from app.accounts.models import Role, User
from app.core.db import now


def ensure_user(connection: Connection, public_id: str) -> int:
    """The id of the user with that cookie name, made now if this is their first attempt.

    Runs on the writer: nobody else makes the row between the look and the insert on SQLite, and on PostgreSQL
    the unique name refuses the second one, whose job then runs again and finds it.
    """
    found = connection.scalar(select(User.id).where(User.public_id == public_id))
    if found is not None:
        return found
    made = connection.execute(
        insert(User).values(public_id=public_id, role=Role.LEARNER, created_at=now()).returning(User.id)
    )
    return made.scalar_one()
