"""The lab: every demo with its parameters, to try what no question asks."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse

from app.core.db import ReadSession
from app.core.errors import BadRequestError, NotFoundError
from app.core.marking import N_
from app.core.rendering import render
from app.demos.catalog import all_demos, find_demo
from app.demos.dependencies import AskerDep, DemoEngineDep, GivenParams
from app.demos.panel import EvidencePanel, list_fields, read_panel
from app.demos.spec import Demo, ParamError
from app.i18n.locales import Locale
from app.i18n.translations import gettext

router = APIRouter(prefix="/{locale}/lab")
PAGE = "demos/demo.html"


def demo_of_path(locale: Locale, demo_id: str) -> Demo:  # noqa: ARG001 - the page reads the locale
    """The demo that the URL names. Raises NotFoundError."""
    demo = find_demo(demo_id)
    if demo is None:
        raise NotFoundError(N_("There is no such demo."))
    return demo


DemoOfPath = Annotated[Demo, Depends(demo_of_path)]


def demo_panel(
    request: Request,
    locale: Locale,
    demo: DemoOfPath,
    given: GivenParams,
    *,
    session: ReadSession,
    runs: DemoEngineDep,
    who: AskerDep,
    run: Annotated[str | None, Query(max_length=64)] = None,
) -> EvidencePanel | ParamError:
    """The region for the parameters in the query, or what is wrong with one of them."""
    try:
        params = demo.parse_params(given)
    except ParamError as error:
        return error
    query = urlencode(params.to_json())
    path = {"locale": locale, "demo_id": demo.id}
    panel = EvidencePanel(
        demo=demo,
        params=params,
        evidence_url=f"{request.app.url_path_for('show_demo_evidence', **path)}?{query}",
        return_to=f"{request.app.url_path_for('show_demo', **path)}?{query}",
    )
    return read_panel(session, runs, panel, who, run)


DemoPanel = Annotated[EvidencePanel | ParamError, Depends(demo_panel, scope="function")]


@router.get("/")
def show_lab(request: Request, locale: Locale) -> HTMLResponse:  # noqa: ARG001 - the page reads it
    """Every demo there is."""
    return render(request, "demos/lab.html", demos=list(all_demos().values()))


@router.get("/{demo_id}")
def show_demo(
    request: Request, locale: Locale, demo: DemoOfPath, given: GivenParams, panel: DemoPanel
) -> HTMLResponse:
    """One demo: its parameters, from the query, and what was measured with them.

    A parameter that is out of bounds is shown as it was written, with what is wrong beside it.
    """
    if isinstance(panel, ParamError):
        words = gettext(locale, panel.message).format(**panel.values)
        faulty = list_fields(demo.params(), given, {panel.name: words})
        return render(request, PAGE, status=BadRequestError.status, demo=demo, fields=faulty, problem=words)
    return render(request, PAGE, fields=list_fields(panel.params), **panel.context())


@router.get("/{demo_id}/evidence")
def show_demo_evidence(request: Request, panel: DemoPanel) -> HTMLResponse:
    """The evidence region of a demo's page."""
    if isinstance(panel, ParamError):
        raise BadRequestError(panel.message, values=panel.values)
    context = panel.context()
    part = "demos/_evidence.html"
    return render(request, "demos/evidence.html", part=part, back_url=panel.return_to, **context)
