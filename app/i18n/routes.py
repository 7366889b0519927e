from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse

from app.i18n.negotiation import REMEMBERED, negotiate

router = APIRouter()


@router.get("/")
def choose_language(request: Request) -> RedirectResponse:
    """To the reader's language: what they chose before, else what their browser asks for."""
    locale = negotiate(request.headers.get("accept-language", ""), request.cookies.get(REMEMBERED))
    headers = {"vary": "Accept-Language, Cookie", "cache-control": "private, no-cache"}
    return RedirectResponse(f"/{locale}/", status_code=302, headers=headers)
