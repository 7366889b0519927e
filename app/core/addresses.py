"""The site's own address, and which pages the world may find: for canonical links, the sitemap and robots."""

import re

from starlette.requests import Request

# A Host header is anyone's to write. What is not plainly a host is not repeated in a page.
_HOST = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?"
)

# What may be found: the first part of an address below its language. Attempts, runs and forms are not here.
PUBLIC = ("", "quizzes", "lab")


def site_origin(request: Request) -> str:
    """`https://quiz.example.org`: the setting, else what the request names; "" where that is no host.

    Only the setting may stand in anything that is kept for other readers.
    """
    public_url: str = getattr(getattr(request.app.state, "settings", None), "public_url", "")
    if public_url:
        return public_url.rstrip("/")
    host = request.headers.get("host", "")
    return f"{request.url.scheme}://{host}" if _HOST.fullmatch(host) else ""


def public_tail(path: str, locales: frozenset[str]) -> str | None:
    """What follows the language in the address of a page that may be found; None for any other page."""
    parts = path.partition("?")[0].split("/", 2)
    if len(parts) < 3 or parts[1] not in locales:  # noqa: PLR2004 - "", language, the rest
        return None
    return parts[2] if parts[2].split("/")[0] in PUBLIC else None
