from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request


@dataclass(frozen=True, slots=True)
class VisitorIdentity:
    """Who asks: the signed name from the cookie. A User row exists once an attempt was started."""

    public_id: str


async def visitor(request: Request) -> VisitorIdentity:
    """The browser that sent this request; the cookie's signature was checked on the way in."""
    return VisitorIdentity(request.state.visitor_id)


Visitor = Annotated[VisitorIdentity, Depends(visitor)]
