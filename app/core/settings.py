import contextlib
import os
import secrets
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

ROOT = Path(__file__).resolve().parents[2]


class Settings(BaseSettings):
    """Everything that a deployment may set, from the environment (`DATABASE_URL`, `REMATCH_...`)."""

    model_config = SettingsConfigDict(env_prefix="REMATCH_", extra="ignore")

    data: Path = ROOT / "data"  # all state lives here
    database_url: str = Field(default="", validation_alias="DATABASE_URL")  # empty: SQLite in `data`
    secret_key: str = ""  # empty: one is made once and kept in `data`
    public_url: str = ""  # the site's own origin where a proxy hides it, "https://quiz.example.org"
    quizzes: Path = ROOT / "quizzes"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    measure_limit_per_hour: int = 30  # runs that one learner may ask for

    @property
    def app_database_url(self) -> str:
        """A SQLAlchemy URL: psycopg 3 for PostgreSQL, the file in `data` otherwise."""
        if not self.database_url:
            return f"sqlite:///{self.data / 'rematch.sqlite3'}"
        for scheme in ("postgres://", "postgresql://"):
            if self.database_url.startswith(scheme):
                return "postgresql+psycopg://" + self.database_url.removeprefix(scheme)
        return self.database_url

    @property
    def engine_database_url(self) -> str:
        """Where the job engine keeps its rows: its own file on SQLite, schema `dbos` on PostgreSQL."""
        if self.is_postgresql:
            return self.app_database_url
        return f"sqlite:///{self.data / 'engine.sqlite3'}"

    @property
    def is_postgresql(self) -> bool:
        """Whether both databases are PostgreSQL."""
        return self.app_database_url.startswith("postgresql")

    @cached_property
    def secret(self) -> str:
        """The key that signs cookies and tokens; made once, readable by its owner only."""
        if self.secret_key:
            return self.secret_key
        self.data.mkdir(parents=True, exist_ok=True)
        path = self.data / "secret.key"
        if not path.exists():
            own = path.with_suffix(f".{os.getpid()}")
            own.touch(mode=0o600)
            own.write_text(secrets.token_urlsafe(48), encoding="ascii")
            with contextlib.suppress(FileExistsError):
                os.link(own, path)  # whole or not at all: of two processes that start together, one wins
            own.unlink()
        return path.read_text(encoding="ascii")
