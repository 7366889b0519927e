"""The writer: what it acknowledges is committed, and one bad job harms no other."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, column, select, table, text
from sqlalchemy.exc import IntegrityError

from app.core.db import Reader, Writer, WriterDiedError, make_engine
from app.core.settings import Settings


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    made = make_engine(settings.app_database_url)
    with made.begin() as connection:
        connection.execute(text("CREATE TABLE note (word VARCHAR(20) PRIMARY KEY)"))
    yield made
    made.dispose()


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    made = Writer(engine)
    yield made
    made.close()


def note(word: str, connection: Connection) -> str:
    connection.execute(text("INSERT INTO note VALUES (:word)"), {"word": word})
    return word


def words(engine: Engine) -> list[str]:
    with engine.connect() as connection:
        return list(connection.scalars(select(text("word")).select_from(text("note")).order_by(text("word"))))


def test_a_job_gives_its_value_back_once_it_is_committed(writer: Writer, engine: Engine) -> None:
    assert asyncio.run(writer.run(lambda connection: note("a", connection))) == "a"
    assert words(engine) == ["a"]


def test_jobs_that_come_together_are_all_written(writer: Writer, engine: Engine) -> None:
    async def write_many() -> list[str]:
        jobs = [writer.run(lambda c, n=n: note(f"{n:03}", c)) for n in range(300)]
        return list(await asyncio.gather(*jobs))

    assert asyncio.run(write_many()) == words(engine) == [f"{n:03}" for n in range(300)]


def test_a_job_that_fails_raises_to_its_caller_and_harms_no_other(writer: Writer, engine: Engine) -> None:
    async def write() -> list[object]:
        jobs = [writer.run(lambda c, w=w: note(w, c)) for w in ("a", "b", "a", "c")]
        return list(await asyncio.gather(*jobs, return_exceptions=True))

    outcomes = asyncio.run(write())
    assert sorted(str(each) for each in outcomes if isinstance(each, str)) == ["a", "b", "c"]
    assert sum(isinstance(each, IntegrityError) for each in outcomes) == 1
    assert words(engine) == ["a", "b", "c"]


def test_a_thread_that_dies_fails_what_it_held_and_is_started_again(writer: Writer, engine: Engine) -> None:
    def die(_connection: Connection) -> None:
        raise SystemExit  # no Exception: it ends the thread, as a fault in the thread's own code would

    with pytest.raises(WriterDiedError):
        asyncio.run(asyncio.wait_for(writer.run(die), timeout=10))
    assert asyncio.run(asyncio.wait_for(writer.run(lambda c: note("after", c)), timeout=10)) == "after"
    assert words(engine) == ["after"]
    assert writer.restarts == 1


def test_what_waits_behind_a_dying_thread_is_still_written(writer: Writer, engine: Engine) -> None:
    dying, waiting = threading.Event(), threading.Event()

    def die_later(_connection: Connection) -> None:
        dying.set()
        waiting.wait(10)
        raise SystemExit

    async def write() -> list[object]:
        first = asyncio.ensure_future(writer.run(die_later))
        await asyncio.to_thread(dying.wait, 10)
        second = asyncio.ensure_future(writer.run(lambda c: note("second", c)))
        await asyncio.sleep(0)
        waiting.set()
        return list(await asyncio.wait_for(asyncio.gather(first, second, return_exceptions=True), 10))

    died, written = asyncio.run(write())
    assert isinstance(died, WriterDiedError)
    assert written == "second"
    assert words(engine) == ["second"]


def test_a_closed_writer_refuses_and_what_it_had_is_written(engine: Engine) -> None:
    writer = Writer(engine)
    asyncio.run(writer.run(lambda c: note("a", c)))
    writer.close()
    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run(writer.run(lambda c: note("b", c)))
    assert words(engine) == ["a"]


NOTES = table("note", column("word")).insert()


def test_rows_that_jobs_leave_are_written_before_the_batch_is_acknowledged(
    writer: Writer, engine: Engine
) -> None:
    async def write_many() -> None:
        jobs = [
            writer.run_batched(lambda batch, n=n: batch.leave(NOTES, {"word": f"{n:03}"})) for n in range(300)
        ]
        await asyncio.gather(*jobs)

    asyncio.run(write_many())
    assert words(engine) == [f"{n:03}" for n in range(300)]


def test_a_row_left_twice_fails_once_and_harms_no_other(writer: Writer, engine: Engine) -> None:
    async def write() -> list[object]:
        jobs = [writer.run_batched(lambda b, w=w: b.leave(NOTES, {"word": w})) for w in ("a", "b", "a", "c")]
        return list(await asyncio.gather(*jobs, return_exceptions=True))

    outcomes = asyncio.run(write())
    assert sum(isinstance(each, IntegrityError) for each in outcomes) == 1
    assert words(engine) == ["a", "b", "c"]


def test_a_reader_sees_what_the_writer_has_acknowledged(writer: Writer, engine: Engine) -> None:
    reader = Reader(engine)

    async def write_then_read() -> list[int]:
        counts = []
        for n in range(20):
            await writer.run(lambda connection, n=n: note(f"{n:03}", connection))
            counts.append(await reader.run(lambda c: len(c.execute(text("SELECT word FROM note")).all())))
        return counts

    assert asyncio.run(write_then_read()) == list(range(1, 21))
    reader.close()


def test_a_loop_that_is_gone_harms_no_other(writer: Writer, engine: Engine) -> None:
    async def ask_and_leave() -> None:
        asking = asyncio.ensure_future(writer.run(lambda connection: note("left", connection)))
        await asyncio.sleep(0)
        asking.cancel()

    asyncio.run(ask_and_leave())
    assert asyncio.run(writer.run(lambda connection: note("stayed", connection))) == "stayed"
    assert "stayed" in words(engine)
