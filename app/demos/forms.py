from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request

from app.core.errors import BadRequestError, NotFoundError
from app.core.marking import N_
from app.core.security import read_form
from app.demos.catalog import find_demo
from app.demos.spec import Demo, ParamError, Params

PARAM_PREFIX = "param."


@dataclass(frozen=True, slots=True)
class RunForm:
    """What «Measure now» sends: a demo, its parameters within their bounds, and where to go back to."""

    demo: Demo
    params: Params
    return_to: str


async def read_run_form(request: Request) -> RunForm:
    """The form of a request for a run; NotFoundError for an unknown demo, BadRequestError for a parameter."""
    form = await read_form(request)
    fields = {name: value for name, value in form.items() if isinstance(value, str)}
    demo = find_demo(fields.get("demo", ""))
    if demo is None:
        raise NotFoundError(N_("There is no such demo."))
    given = {
        name.removeprefix(PARAM_PREFIX): value
        for name, value in fields.items()
        if name.startswith(PARAM_PREFIX)
    }
    try:
        params = demo.parse_params(given)
    except ParamError as error:
        raise BadRequestError(error.message, values=error.values) from error
    return RunForm(demo, params, local_path(fields.get("return_to", "")))


async def read_return_to(request: Request) -> str:
    """Where a form or a link says to go back to; "" if nowhere, or to another site."""
    given = request.query_params.get("return_to", "")
    if request.method == "POST":
        field = (await read_form(request)).get("return_to", "")
        given = field if isinstance(field, str) else ""
    return local_path(given)


def local_path(given: str) -> str:
    """`given` if it is a path of this site, else "": nothing that a browser could read as another host."""
    if not given.isprintable() or "\\" in given or not given.startswith("/") or given.startswith("//"):
        return ""
    try:
        parts = urlsplit(given)
    except ValueError:  # brackets that are no address
        return ""
    return "" if parts.scheme or parts.netloc else given


RunFormDep = Annotated[RunForm, Depends(read_run_form)]
ReturnTo = Annotated[str, Depends(read_return_to)]
