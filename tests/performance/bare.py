"""Bare ASGI apps under the same uvicorn: what a request costs before there is a site.

`python -m tests.performance.bare --fd N page BYTES` answers with that many bytes.
`python -m tests.performance.bare --fd N answer BODY DATABASE` stores one row for each POST, then answers with
the bytes of the file BODY: on SQLite one thread groups the inserts of a moment into one commit, on PostgreSQL
each is a statement of its own on one of a few open connections.
"""

import argparse
import asyncio
import queue
import random
import socket
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import psycopg
import uvicorn

from app.web import _Server

Row = tuple[int, int, int, str, float, str]
BATCH_LIMIT = 128
CONNECTIONS = 8
TABLE = (
    "CREATE TABLE IF NOT EXISTS bare_response (id {key}, attempt_id INTEGER, item_id INTEGER, "
    "position INTEGER, chosen VARCHAR, score FLOAT, answered_at VARCHAR)"
)
INSERT = (
    "INSERT INTO bare_response (attempt_id, item_id, position, chosen, score, answered_at) "
    "VALUES ({0}, {0}, {0}, {0}, {0}, {0})"
)
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000", "foreign_keys=ON")


class Store(Protocol):
    """Where a row goes; `insert` returns once it is committed."""

    async def insert(self, row: Row) -> None: ...


class GroupedSqlite:
    """One thread, one connection, all rows of a moment in one transaction."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._rows: queue.SimpleQueue[tuple[Row, asyncio.Future[None]]] = queue.SimpleQueue()
        threading.Thread(target=self._write, daemon=True).start()

    async def insert(self, row: Row) -> None:
        """Hand the row to the thread."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._rows.put((row, done))
        await done

    def _write(self) -> None:
        connection = sqlite3.connect(self._path, isolation_level=None)
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(TABLE.format(key="INTEGER PRIMARY KEY"))
        statement = INSERT.format("?")
        while True:
            batch = [self._rows.get()]
            while len(batch) < BATCH_LIMIT:
                try:
                    batch.append(self._rows.get_nowait())
                except queue.Empty:
                    break
            connection.execute("BEGIN IMMEDIATE")
            for row, _ in batch:
                connection.execute(statement, row)
            connection.execute("COMMIT")
            batch[0][1].get_loop().call_soon_threadsafe(_resolve, [done for _, done in batch])


def _resolve(futures: list["asyncio.Future[None]"]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)


class PooledPostgres:
    """A few connections of psycopg's async client, each insert committed on its own."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: asyncio.Queue[psycopg.AsyncConnection[Any]] = asyncio.Queue()
        self._opened = False

    async def insert(self, row: Row) -> None:
        """Insert on the next idle connection."""
        if not self._opened:
            self._opened = True
            await self._open()
        connection = await self._idle.get()
        try:
            await connection.execute(INSERT.format("%s").encode(), row)
        finally:
            self._idle.put_nowait(connection)

    async def _open(self) -> None:
        for _ in range(CONNECTIONS):
            connection = await psycopg.AsyncConnection.connect(self._url, autocommit=True)
            await connection.execute(TABLE.format(key="SERIAL PRIMARY KEY").encode())
            self._idle.put_nowait(connection)


Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


def bare_app(body: bytes, store: Store | None, *, is_packed: bool) -> Callable[..., Awaitable[None]]:
    """An app that answers everything with `body`, after a row where there is a store."""
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    if is_packed:
        headers.append((b"content-encoding", b"gzip"))

    async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if scope["method"] == "POST":
            while (await receive()).get("more_body"):
                pass
            if store is not None:
                await store.insert((random.getrandbits(30), 3, 2, '["recompute"]', 1.0, str(time.time())))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app


def main() -> None:
    """Serve until a signal comes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("what", choices=["page", "answer"])
    parser.add_argument("body")
    parser.add_argument("database", nargs="?")
    options = parser.parse_args()
    if options.what == "page":
        filler = random.randbytes(int(options.body))  # noqa: S311 - bytes that gzip cannot shrink, no secret
        app = bare_app(filler, None, is_packed=False)
    else:
        body = Path(options.body).read_bytes()
        is_postgres = options.database.startswith("postgres")
        store = PooledPostgres(options.database) if is_postgres else GroupedSqlite(options.database)
        app = bare_app(body, store, is_packed=body.startswith(b"\x1f\x8b"))
    server = _Server(
        uvicorn.Config(
            app,
            loop="uvloop",
            http="httptools",
            ws="none",
            lifespan="off",
            access_log=False,
            log_level="warning",
            server_header=False,
        )
    )
    server.run(sockets=[socket.socket(fileno=options.fd)])


if __name__ == "__main__":
    main()
