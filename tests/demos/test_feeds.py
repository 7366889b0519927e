import asyncio
from collections.abc import AsyncGenerator

import pytest

from app.demos.feeds import Feeds


class Source:
    """A stream that counts how often it is opened and closed."""

    def __init__(self, *, fails: bool = False) -> None:
        self.opened = 0
        self.closed = 0
        self._fails = fails

    async def open(self, name: str) -> AsyncGenerator[str, None]:
        self.opened += 1
        try:
            for number in range(4):
                await asyncio.sleep(0.01)
                yield f"{name}{number}"
            if self._fails:
                raise ConnectionError("the database went away")
        finally:
            self.closed += 1


async def collect(feeds: Feeds[str], start: int = 0) -> list[tuple[int, str]]:
    return [numbered async for numbered in feeds.follow("a", start=start)]


class TestFollow:
    def test_followers_share_one_reader_and_each_starts_where_it_wants(self) -> None:
        source = Source()

        async def both() -> list[list[tuple[int, str]]]:
            feeds = Feeds(source.open)
            return await asyncio.gather(collect(feeds), collect(feeds, 2), collect(feeds, 9))

        whole, rest, none = asyncio.run(both())
        assert whole == [(0, "a0"), (1, "a1"), (2, "a2"), (3, "a3")]
        assert (rest, none) == (whole[2:], [])
        assert (source.opened, source.closed) == (1, 1)

    def test_the_reader_stops_when_the_last_follower_has_left(self) -> None:
        source = Source()

        async def leave() -> None:
            feeds = Feeds(source.open)
            follower = feeds.follow("a")
            assert await anext(follower) == (0, "a0")
            await follower.aclose()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert source.closed == 1

        asyncio.run(leave())

    def test_an_error_of_the_stream_is_its_followers(self) -> None:
        with pytest.raises(ConnectionError):
            asyncio.run(collect(Feeds(Source(fails=True).open)))
