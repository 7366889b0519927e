from fastapi import APIRouter, Request
from sqlalchemy import text
from starlette.responses import PlainTextResponse

router = APIRouter()


@router.get("/healthz")
def healthz(request: Request) -> PlainTextResponse:
    """200 once this process serves and its database answers."""
    with request.app.state.engine.connect() as connection:
        connection.execute(text("SELECT 1"))
    return PlainTextResponse("ok\n", headers={"cache-control": "no-store"})
