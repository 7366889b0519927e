from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine

from app.core.db import make_engine, writing
from app.core.ratelimit import Allowance, RateLimit, RateLimitError, forget_whole, take

START = datetime(2026, 1, 1, tzinfo=UTC)
THREE_A_MINUTE = Allowance(3, timedelta(minutes=1))


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = make_engine(database_url)
    yield made
    made.dispose()


def take_at(engine: Engine, seconds: float, name: str = "a") -> None:
    with writing(engine) as session:
        take(session, name, THREE_A_MINUTE, at=START + timedelta(seconds=seconds))


class TestTake:
    def test_the_whole_allowance_may_be_taken_at_once_and_then_one_a_share(self, engine: Engine) -> None:
        for _ in range(3):
            take_at(engine, 0)
        with pytest.raises(RateLimitError) as refused:
            take_at(engine, 1)
        assert refused.value.retry_seconds == 19
        take_at(engine, 20)
        with pytest.raises(RateLimitError):
            take_at(engine, 20)

    def test_what_was_refused_costs_nothing(self, engine: Engine) -> None:
        for _ in range(3):
            take_at(engine, 0)
        for _ in range(5):
            with pytest.raises(RateLimitError):
                take_at(engine, 19)
        take_at(engine, 20)

    def test_each_name_has_its_own(self, engine: Engine) -> None:
        for name in ("a", "b") * 3:
            take_at(engine, 0, name)

    def test_it_holds_over_sessions_at_the_same_moment(self, engine: Engine) -> None:
        other = make_engine(engine.url.render_as_string(hide_password=False))  # as another process has one

        def attempt(number: int) -> bool:
            try:
                take_at((engine, other)[number % 2], 0)
            except RateLimitError:
                return False
            return True

        with ThreadPoolExecutor(8) as threads:
            taken = sum(threads.map(attempt, range(24)))
        other.dispose()
        assert taken == 3


class TestForgetWhole:
    def test_it_drops_what_says_nothing_any_more(self, engine: Engine) -> None:
        take_at(engine, 0, "old")
        take_at(engine, 100, "new")
        with writing(engine) as session:
            forget_whole(session, at=START + timedelta(seconds=101))
            assert [row.name for row in session.query(RateLimit)] == ["new"]
