"""Alembic's entry: the tables of every feature, on the database that it is called with."""

from typing import Any, Literal

from alembic import context

import app.accounts.audit_models
import app.accounts.group_models
import app.accounts.models
import app.attempts.models
import app.banks.models
import app.banks.search_models
import app.core.ratelimit
import app.demos.tables  # noqa: F401 - each import registers its tables
from app.core.db import Base, UtcDateTime, make_engine


def include_name(
    name: str | None,
    kind: Literal[
        "schema",
        "table",
        "column",
        "index",
        "unique_constraint",
        "foreign_key_constraint",
        "check_constraint",
    ],
    _parents: Any,
) -> bool:
    """Only what the models declare: not the job engine's schema `dbos`, nor the index of the search."""
    if kind == "schema":
        return name is None
    return not (name or "").startswith(("search_index", "search_vector"))


def render_item(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Migrations name SQLAlchemy's own types: ours may change, a migration may not."""
    return "sa.DateTime(timezone=True)" if kind == "type" and isinstance(item, UtcDateTime) else False


def run() -> None:
    """Run the migrations in one transaction."""
    url = context.config.get_main_option("sqlalchemy.url")
    if url is None:
        raise RuntimeError("migrations are run through app.core.migrations, which names the database")
    engine = make_engine(url)
    with engine.connect() as connection:
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            include_name=include_name,
            render_as_batch=connection.dialect.name == "sqlite",
            render_item=render_item,
        )
        with context.begin_transaction():
            context.run_migrations()
    engine.dispose()


run()
