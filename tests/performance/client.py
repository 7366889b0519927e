"""A small HTTP/1.1 client over loopback: as little of the machine as possible goes to who measures."""

import asyncio
import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode

HOST = "127.0.0.1"
BROWSER_HEADERS = "Accept-Encoding: gzip\r\nAccept-Language: en\r\nSec-Fetch-Site: same-origin\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """A response as it came over the wire."""

    status: int
    head: bytes
    body: bytes

    def header(self, name: str) -> str:
        """A header's value, "" where it was not sent; of several, the first."""
        found = re.search(rf"\r\n{name}: ([^\r]*)".encode(), self.head, re.IGNORECASE)
        return found[1].decode() if found else ""


def get(path: str, *, cookie: str = "", headers: str = BROWSER_HEADERS) -> bytes:
    """A GET as a browser sends it."""
    return f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n{headers}{_cookie(cookie)}\r\n".encode()


def post(path: str, fields: dict[str, Any], *, cookie: str = "", headers: str = BROWSER_HEADERS) -> bytes:
    """A form as a browser sends it."""
    body = urlencode(fields)
    form = f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
    return f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\n{headers}{form}{_cookie(cookie)}\r\n{body}".encode()


def _cookie(cookie: str) -> str:
    return f"Cookie: {cookie}\r\n" if cookie else ""


class Connection(asyncio.Protocol):
    """One kept-alive connection; one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._received = b""
        self._waiting: asyncio.Future[Answer] | None = None

    @classmethod
    async def open(cls, port: int) -> "Connection":
        """Connect."""
        _, made = await asyncio.get_running_loop().create_connection(cls, HOST, port)
        return made

    async def ask(self, request: bytes) -> Answer:
        """Send a request and wait for its whole response. Raises ConnectionError."""
        assert self._transport is not None
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._waiting

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own is no subclass of it

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found or self._waiting is None:
            return
        length = _LENGTH.search(head)
        if length is None:
            self._fail(ConnectionError(f"a response without its length: {head!r}"))
        elif len(body) >= int(length[1]):
            self._received = b""
            self._waiting.set_result(Answer(int(head[9:12]), head, body))

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(ConnectionError(f"the server hung up: {exc}"))

    def _fail(self, error: ConnectionError) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(error)


async def ask_all(port: int, requests: Iterable[bytes], *, connections: int) -> list[Answer]:
    """Send every request, `connections` at once; the answers come in the order of the requests."""
    waiting = deque(enumerate(requests))
    answers: dict[int, Answer] = {}

    async def ask_in_turn() -> None:
        connection = await Connection.open(port)
        while waiting:
            index, request = waiting.popleft()
            answers[index] = await connection.ask(request)
        connection.close()

    await asyncio.gather(*(ask_in_turn() for _ in range(connections)))
    return [answers[index] for index in sorted(answers)]


def drive(port: int, requests: Sequence[bytes], *, connections: int, status: int = 200) -> list[Answer]:
    """The same from ordinary code; every answer must have this status."""
    answers = asyncio.run(ask_all(port, requests, connections=connections))
    wrong = [answer for answer in answers if answer.status != status]
    assert not wrong, f"{len(wrong)} of {len(answers)} answers, the first: {wrong[0]}"
    return answers
