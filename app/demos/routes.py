from urllib.parse import urlencode, urlsplit, urlunsplit

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response, StreamingResponse

from app.core.db import ReadSession
from app.core.rendering import render
from app.core.security import verify_csrf
from app.demos import events, service
from app.demos.dependencies import AskerDep, DemoEngineDep
from app.demos.forms import ReturnTo, RunFormDep
from app.demos.views import RunView
from app.i18n.locales import Locale

router = APIRouter()

REFUSED_STATUS = {"rate_limited": 429, "queue_full": 503, "worker_down": 503}
OFFSET_DIGITS = 9


@router.post("/{locale}/runs", dependencies=[Depends(verify_csrf)])
def create_run(
    request: Request, locale: Locale, form: RunFormDep, who: AskerDep, runs: DemoEngineDep
) -> Response:
    """Ask for a measurement: the run's state as a fragment, or without JavaScript back to where one was."""
    state = request.app.state
    run = service.request_run(
        state.engine, runs, state.settings, demo=form.demo, params=form.params, asker=who
    )
    return _answer(request, locale, run, form.return_to)


@router.get("/{locale}/runs/{run_id}")
def show_run(
    request: Request,
    locale: Locale,  # noqa: ARG001 - read by the page from the request
    run_id: str,
    *,
    return_to: ReturnTo,
    who: AskerDep,
    runs: DemoEngineDep,
    session: ReadSession,
) -> Response:
    """The state of a run, as a page or as its fragment."""
    run = service.get_run_view(session, runs, run_id, who)
    return render(request, "demos/run.html", part="demos/_run.html", run=run, return_to=return_to)


@router.get("/{locale}/runs/{run_id}/events")
async def stream_run(request: Request, locale: Locale, run_id: str, runs: DemoEngineDep) -> Response:
    """The run's progress as server-sent events, from past `Last-Event-ID` on."""
    state = await run_in_threadpool(runs.find_run, run_id)
    if state is None:
        return Response(status_code=204)  # which tells an EventSource to stop coming back
    last_id = request.headers.get("last-event-id", "")
    is_offset = last_id.isascii() and last_id.isdigit() and len(last_id) <= OFFSET_DIGITS
    body = events.stream_run(
        request.app.state.engine, runs, state, locale=locale, after=int(last_id) if is_offset else None
    )
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(body, media_type="text/event-stream", headers=headers)


@router.post("/{locale}/runs/{run_id}/cancel", dependencies=[Depends(verify_csrf)])
def cancel_run(
    request: Request,
    locale: Locale,
    run_id: str,
    *,
    return_to: ReturnTo,
    who: AskerDep,
    runs: DemoEngineDep,
    session: ReadSession,
) -> Response:
    """Cancel a run that one has asked for; the child that measures is killed within a second."""
    service.cancel_run(runs, run_id, who)
    return _answer(request, locale, service.get_run_view(session, runs, run_id, who), return_to)


def _answer(request: Request, locale: Locale, run: RunView, return_to: str) -> Response:
    """The run as a fragment for htmx; else back to the page it belongs to, or its own without one."""
    is_refused = not run.id
    if "HX-Request" in request.headers or is_refused:
        status = REFUSED_STATUS[run.failure_code or "worker_down"] if is_refused else 200
        response: Response = render(
            request, "demos/run.html", part="demos/_run.html", status=status, run=run, return_to=return_to
        )
        if run.retry_seconds is not None:
            response.headers["Retry-After"] = str(run.retry_seconds)
        return response
    if return_to:
        parts = urlsplit(return_to)
        query = "&".join(filter(None, [parts.query, urlencode({"run": run.id})]))
        return RedirectResponse(urlunsplit(parts._replace(query=query)), 303)
    return RedirectResponse(str(request.url_for("show_run", locale=locale.value, run_id=run.id)), 303)
