"""A run as server-sent events: its state as HTML whenever it changes, then one `done`.

Unnamed messages carry the state, for that is what htmx swaps in; their ids are the offsets of the run's
stream, so that a browser that comes back is shown no step twice.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from app.core.rendering import render_text
from app.demos import service
from app.demos.engine import DemoEngine
from app.demos.runs import RunState
from app.demos.views import RunView

LOOK_SECONDS = 1.0  # how often a run that says nothing is looked at: its place in the queue, its worker
KEEPALIVE_SECONDS = 15.0  # proxies close what is silent for longer
TEMPLATE = "demos/_run_state.html"


async def stream_run(
    engine: Engine, runs: DemoEngine, first: RunState, *, locale: str, after: int | None
) -> AsyncGenerator[bytes, None]:
    """The events of a run that is in state `first`, for a reader who has seen those up to offset `after`."""
    state = first
    view = await asyncio.to_thread(_view, engine, state)
    drawn_at = time.monotonic()
    yield _message(view, locale, state.offset)
    if not state.is_open:
        yield _done(state)
        return
    seen = max((offset for offset in (after, state.offset) if offset is not None), default=None)
    async with contextlib.aclosing(runs.follow(state.id, after=seen)) as values:
        upcoming = asyncio.ensure_future(anext(values, None))
        try:
            while state.is_open:
                has_news, _ = await asyncio.wait({upcoming}, timeout=LOOK_SECONDS)
                if has_news:
                    numbered = upcoming.result()
                    if numbered is None:
                        break
                    state = state.after(*numbered)
                    upcoming = asyncio.ensure_future(anext(values, None))
                    id_ = state.offset
                else:
                    state = await asyncio.to_thread(_look_again, runs, state)
                    id_ = None
                fresh = await asyncio.to_thread(_view, engine, state)
                if fresh != view:
                    view, drawn_at = fresh, time.monotonic()
                    yield _message(view, locale, id_)
                elif time.monotonic() - drawn_at > KEEPALIVE_SECONDS:
                    drawn_at = time.monotonic()
                    yield b": still here\n\n"
        finally:
            upcoming.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await upcoming
    if state.is_open:  # cancelled or timed out from outside, which no value tells
        state = await asyncio.to_thread(_look_again, runs, state)
        yield _message(await asyncio.to_thread(_view, engine, state), locale, None)
    yield _done(state)


def _view(engine: Engine, state: RunState) -> RunView:
    with Session(engine) as session:
        return service.view_run(session, state)


def _look_again(runs: DemoEngine, state: RunState) -> RunState:
    return runs.find_run(state.id) or state  # a run that was purged meanwhile stays as it was


def _message(view: RunView, locale: str, id_: int | None) -> bytes:
    html = render_text(locale, TEMPLATE, run=view)
    lines = [] if id_ is None else [f"id: {id_}"]
    lines += [f"data: {line}" for line in html.splitlines()]
    return ("\n".join(lines) + "\n\n").encode()


def _done(state: RunState) -> bytes:
    return f"event: done\ndata: {state.status}\n\n".encode()
