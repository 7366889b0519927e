from typing import Annotated

from fastapi import Depends, Request

from app.accounts.dependencies import Visitor
from app.demos.engine import DemoEngine
from app.demos.service import Asker


async def demo_engine(request: Request) -> DemoEngine:
    """The process's client of the job engine."""
    held: DemoEngine = request.app.state.demo_engine
    return held


async def asker(request: Request, visitor: Visitor) -> Asker:
    """Who asks, for limits and for who may cancel."""
    return Asker(visitor.public_id, request.client.host if request.client else "")


DemoEngineDep = Annotated[DemoEngine, Depends(demo_engine)]
AskerDep = Annotated[Asker, Depends(asker)]
