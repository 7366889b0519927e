from typing import Annotated

from fastapi import Depends, Request

from app.demos.engine import DemoEngine
from app.demos.service import Asker


async def demo_engine(request: Request) -> DemoEngine:
    """The process's client of the job engine."""
    held: DemoEngine = request.app.state.demo_engine
    return held


def asker_of(request: Request) -> Asker:
    """Who sent this request, for limits and for who may cancel."""
    return Asker(request.state.visitor_id, request.client.host if request.client else "")


async def asker(request: Request) -> Asker:
    """The same as a dependency."""
    return asker_of(request)


RUN = "run"  # a query's one name that is no parameter


def given_params(request: Request) -> dict[str, str]:
    """The parameters in the query, as they were written."""
    return {name: value for name, value in request.query_params.items() if name != RUN}


GivenParams = Annotated[dict[str, str], Depends(given_params)]
DemoEngineDep = Annotated[DemoEngine, Depends(demo_engine)]
AskerDep = Annotated[Asker, Depends(asker)]
