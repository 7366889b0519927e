"""What crawlers ask for: the sitemap, and what they should leave alone."""

from collections.abc import Iterator
from datetime import datetime
from xml.sax.saxutils import quoteattr

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response

from app.banks.dependencies import Quizzes
from app.banks.queries import list_quizzes, list_revision_times
from app.core.addresses import site_origin
from app.core.db import ReadSession
from app.core.errors import BadRequestError
from app.core.marking import N_
from app.demos.catalog import all_demos
from app.i18n.locales import SOURCE_LOCALE, Locale

router = APIRouter()
ADDRESSES_LIMIT = 50_000  # of the protocol, https://www.sitemaps.org/protocol.html
PRIVATE = ("attempts/", "runs/", "search", "quizzes/*/attempts", "lab/*?", "lab/*/evidence")
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
)


@router.get("/sitemap.xml")
def show_sitemap(request: Request, session: ReadSession, quizzes: Quizzes) -> Response:
    """Every page that may be found, in each language, with its other languages beside it."""
    origin = _get_origin(request)
    changed = list_revision_times(session)
    tails: list[tuple[str, datetime | None]] = [("", None), ("lab/", None)]
    tails += [(f"lab/{demo}", None) for demo in all_demos()]
    for quiz in list_quizzes(session, quizzes):
        pages = ("", "/guide") if quiz.guide is not None else ("",)
        tails += [(f"quizzes/{quiz.slug}{page}", changed[quiz.revision_id]) for page in pages]
    tails = tails[: ADDRESSES_LIMIT // len(Locale)]
    entries = "".join(entry for tail, at in tails for entry in _entries(origin, tail, at))
    return Response(f"{_HEAD}{entries}</urlset>\n", media_type="application/xml")


@router.get("/robots.txt")
def show_robots(request: Request) -> PlainTextResponse:
    """Attempts, runs, searches and forms are no pages to find. RFC 9309."""
    private = [f"Disallow: /{locale}/{path}" for locale in Locale for path in PRIVATE]
    lines = [
        "User-agent: *",
        *private,
        "Disallow: /healthz",
        "",
        f"Sitemap: {_get_origin(request)}/sitemap.xml",
    ]
    return PlainTextResponse("\n".join(lines) + "\n")


def _get_origin(request: Request) -> str:
    origin = site_origin(request)
    if not origin:
        raise BadRequestError(N_("The request does not name this site."))
    return origin


def _entries(origin: str, tail: str, changed: datetime | None) -> Iterator[str]:
    """One page in each language. The order of what stands in `url` is the schema's."""
    default = "/" if not tail else f"/{SOURCE_LOCALE}/{tail}"
    links = [(locale.value, f"/{locale}/{tail}") for locale in Locale] + [("x-default", default)]
    alternates = "".join(
        f'<xhtml:link rel="alternate" hreflang={quoteattr(code)} href={quoteattr(origin + path)}/>'
        for code, path in links
    )
    when = f"<lastmod>{changed.strftime('%Y-%m-%dT%H:%M:%SZ')}</lastmod>" if changed else ""
    for locale in Locale:
        address = quoteattr(f"{origin}/{locale}/{tail}")[1:-1]
        yield f"<url><loc>{address}</loc>{when}{alternates}</url>\n"
