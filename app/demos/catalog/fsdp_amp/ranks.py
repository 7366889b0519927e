"""Two fresh processes that measure together: started, waited for, and never left behind."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

from torch.distributed import TCPStore  # type: ignore[attr-defined] # public, and not marked so

import app
from app.demos.catalog.fsdp_amp.spec import RANKS

SECONDS = 90.0  # for all of it; the worker's own limit is longer
LOOK_SECONDS = 0.05
DETAIL_LIMIT = 400
RANK = "app.demos.catalog.fsdp_amp.rank"


class RankError(RuntimeError):
    """A rank ended without an answer; the message has the last that it said."""


def run_ranks(order: dict[str, Any]) -> list[dict[str, Any]]:
    """Have each rank carry out `order`, and return their answers. Raises RankError.

    Fresh interpreters, because a process whose threads have run operators must not fork. They meet at a store
    that listens on this machine alone, and so do the sockets between them.
    """
    with ExitStack() as stack:
        port = stack.enter_context(open_store())
        logs = [stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for _ in range(RANKS)]
        ranks = [
            stack.enter_context(start_rank(order | {"rank": rank, "port": port}, log))
            for rank, log in enumerate(logs)
        ]
        wait_for(ranks)
        for rank, log in zip(ranks, logs, strict=True):
            if rank.poll():  # the others only wait for it
                raise RankError(f"a rank ended with {rank.poll()}: {read(log)[-DETAIL_LIMIT:]}")
        return [read_answer(rank, log) for rank, log in zip(ranks, logs, strict=True)]


@contextmanager
def open_store() -> Iterator[int]:
    """The port of a store at which the ranks meet."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    store = TCPStore(
        "127.0.0.1",
        port,
        RANKS,
        is_master=True,
        timeout=timedelta(seconds=SECONDS),
        wait_for_workers=False,
        master_listen_fd=listener.detach(),
    )
    try:
        yield port
    finally:
        del store  # closes the socket


@contextmanager
def start_rank(order: dict[str, Any], log: IO[str]) -> Iterator["subprocess.Popen[str]"]:
    """A rank with its order; it is killed on the way out if it still runs."""
    root = str(Path(app.__file__).parents[1])
    loopback = next(name for _, name in socket.if_nameindex() if name.startswith("lo"))
    environment = os.environ | {
        "PYTHONPATH": root,
        "GLOO_SOCKET_IFNAME": loopback,
        "NCCL_SOCKET_IFNAME": loopback,
    }
    rank = subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-m", RANK],
        stdin=subprocess.PIPE,
        stdout=log,
        stderr=log,
        text=True,
        env=environment,
    )
    assert rank.stdin is not None  # noqa: S101 - it was asked for
    try:
        with contextlib.suppress(BrokenPipeError):  # a rank that ended already has said why
            rank.stdin.write(json.dumps(order) + "\n")
            rank.stdin.flush()  # and it stays open: its end would be ours
        yield rank
    finally:
        rank.kill()
        rank.wait()
        with contextlib.suppress(BrokenPipeError):
            rank.stdin.close()


def wait_for(ranks: list["subprocess.Popen[str]"]) -> None:
    """Return when all have ended, or one has failed, or time is up."""
    deadline = time.monotonic() + SECONDS
    while any(rank.poll() is None for rank in ranks) and time.monotonic() < deadline:
        if any(rank.poll() for rank in ranks):
            return
        time.sleep(LOOK_SECONDS)


def read_answer(rank: "subprocess.Popen[str]", log: IO[str]) -> dict[str, Any]:
    """The last line of what a rank printed, if it has ended."""
    if rank.poll() is None:
        raise RankError(f"the ranks did not end within {SECONDS:.0f} seconds: {read(log)[-DETAIL_LIMIT:]}")
    answer: dict[str, Any] = json.loads(read(log).splitlines()[-1])
    return answer


def read(log: IO[str]) -> str:
    """All that was written to it."""
    log.seek(0)
    return log.read().strip()
