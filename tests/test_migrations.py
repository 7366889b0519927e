"""Migrations make exactly the tables that the models declare, on both databases, and can be undone."""

from alembic import command
from sqlalchemy import inspect

from app.core.db import Base, make_engine
from app.core.migrations import alembic_config


def table_names(url: str) -> set[str]:
    engine = make_engine(url)
    try:
        return set(inspect(engine).get_table_names()) - {"alembic_version"}
    finally:
        engine.dispose()


def test_a_migrated_database_is_what_the_models_declare(database_url: str) -> None:
    command.check(alembic_config(database_url))  # raises where autogenerate would find something to do
    assert table_names(database_url) >= set(Base.metadata.tables)


def test_every_migration_can_be_undone_and_done_again(database_url: str) -> None:
    declared = set(Base.metadata.tables)
    command.downgrade(alembic_config(database_url), "base")
    assert not table_names(database_url) & declared
    command.upgrade(alembic_config(database_url), "head")
    assert table_names(database_url) >= declared
