"""Bringing a database up to date: Alembic, configured here instead of in a file of its own."""

from alembic import command
from alembic.config import Config

from app.core.settings import ROOT

_FILE_NAME = (
    "%%(year)d%%(month).2d%%(day).2d_%%(hour).2d%%(minute).2d_%%(slug)s"  # slug: table__column__operation
)


def alembic_config(url: str) -> Config:
    """Alembic's configuration for the database at `url` (a SQLAlchemy URL)."""
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    config.set_main_option("path_separator", "os")
    config.set_main_option("file_template", _FILE_NAME)
    config.set_main_option("sqlalchemy.url", url.replace("%", "%%"))
    return config


def upgrade(url: str) -> None:
    """Apply every migration that the database at `url` does not have yet."""
    command.upgrade(alembic_config(url), "head")
