"""One reader a run, however many pages follow it: a stream is polled, and a class asks for the same run."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import Generic, TypeVar

V = TypeVar("V")


class Feeds(Generic[V]):
    """Streams by name, each read once while anyone follows it. Belongs to one event loop."""

    def __init__(self, open_stream: Callable[[str], AsyncGenerator[V, None]]) -> None:
        self._open_stream = open_stream
        self._feeds: dict[str, _Feed[V]] = {}

    async def follow(self, name: str, *, start: int = 0) -> AsyncGenerator[tuple[int, V], None]:
        """The stream's values from number `start` on, with their numbers, until it ends."""
        feed = self._feeds.get(name)
        if feed is None:
            feed = self._feeds[name] = _Feed(self._open_stream(name))
        feed.followers += 1
        try:
            async for numbered in feed.read_from(start):
                yield numbered
        finally:
            feed.followers -= 1
            if feed.followers == 0:
                self._feeds.pop(name, None)
                feed.close()


class _Feed(Generic[V]):
    """What was read of one stream so far, and the task that reads on."""

    def __init__(self, stream: AsyncGenerator[V, None]) -> None:
        self.followers = 0
        self._values: list[V] = []
        self._changed = asyncio.Event()
        self._reader = asyncio.create_task(self._read(stream))
        self._reader.add_done_callback(lambda _: self._wake())

    async def read_from(self, start: int) -> AsyncGenerator[tuple[int, V], None]:
        """The values from number `start` on, waiting for more until the stream has ended."""
        number = start
        while True:
            changed = self._changed  # taken before the look, so that nothing slips in between
            while number < len(self._values):
                yield number, self._values[number]
                number += 1
            if self._reader.done() and number >= len(self._values):
                self._reader.result()  # its error is the followers'
                return
            if number >= len(self._values):
                await changed.wait()

    def close(self) -> None:
        """Stop reading."""
        self._reader.cancel()

    async def _read(self, stream: AsyncGenerator[V, None]) -> None:
        async with contextlib.aclosing(stream):
            async for value in stream:
                self._values.append(value)
                self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
