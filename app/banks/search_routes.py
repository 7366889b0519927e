"""The search's page: what is in guides, quizzes and questions."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from app.banks import search_queries
from app.banks.search import read_query
from app.core.db import ReadSession
from app.core.rendering import render
from app.i18n.locales import Locale

router = APIRouter(prefix="/{locale}")


@router.get("/search")
def show_search(
    request: Request,
    locale: Locale,
    session: ReadSession,
    q: str = "",
    page: Annotated[int, Query(ge=1, le=search_queries.PAGES_LIMIT)] = 1,
) -> HTMLResponse:
    """What was found for `q`, of which 200 characters are read; where nothing was, sections to begin with."""
    query = read_query(q)
    results = search_queries.search(session, query, locale, page)
    return render(
        request,
        "banks/search.html",
        here=_address(locale, query.shown, results.page),
        query=query.shown,
        results=results,
        earlier=_address(locale, query.shown, results.page - 1) if results.page > 1 else None,
        later=_address(locale, query.shown, results.page + 1) if results.page < results.page_count else None,
        guides={} if results.hits else search_queries.list_sections(session, locale),
    )


def _address(locale: Locale, query: str, page: int) -> str:
    fields = {"q": query} | ({"page": str(page)} if page > 1 else {})
    return f"/{locale}/search" + (f"?{urlencode(fields)}" if query else "")
