"""What every request passes through: headers, a body limit, the same-origin rule, the visitor's cookie, CSRF.

Pure ASGI, because each BaseHTTPMiddleware costs more than the answer path may.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import parse_qsl, urlsplit

from itsdangerous import BadSignature, Signer
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.core.errors import BadRequestError, ForbiddenError
from app.core.marking import N_

BODY_LIMIT_BYTES = 64 * 1024  # no form of the site comes near it
COOKIE_SECONDS = 400 * 24 * 3600  # the longest that browsers keep one
COOKIE_LIMIT = 200  # characters of one that may be ours: a name and its signature have 68
COOKIES_KEPT = 8192  # whose signature need not be verified again
FIELDS_LIMIT = 100  # of one form
FORM_TYPE = "application/x-www-form-urlencoded"
CSRF_FIELD = "csrf_token"
CSRF_HEADER = "x-csrf-token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
HSTS = "max-age=31536000"
_HEADERS = [
    *((name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()),
    (b"cache-control", b"private, no-cache"),
]
_HEADERS_UNDER_TLS = [*_HEADERS, (b"strict-transport-security", HSTS.encode())]


class SecurityHeaders:
    """Adds the headers that every response carries; HSTS under TLS only."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        added = _HEADERS_UNDER_TLS if scope["scheme"] == "https" else _HEADERS

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                names = {name for name, _ in given}
                message["headers"] = given + [header for header in added if header[0] not in names]
            await send(message)

        await self.app(scope, receive, send_with_headers)


class RequestGuard:
    """Refuses, before any route runs, a body over the limit and an unsafe request from another site.

    Browsers say where a request comes from in Sec-Fetch-Site; older ones send Origin with every POST. A
    client that sends neither is no browser, and the CSRF token still stands.
    """

    def __init__(self, app: ASGIApp, *, public_url: str = "") -> None:
        self.app = app
        self._public_origin = urlsplit(public_url).netloc

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        if scope["type"] != "http" or scope["method"] in SAFE_METHODS:
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not self._is_same_origin(headers):
            await PlainTextResponse("Cross-site request refused.", 403)(scope, receive, send)
            return
        declared = headers.get("content-length", "0")
        if not declared.isdigit() or int(declared) > BODY_LIMIT_BYTES:
            await PlainTextResponse("The request body is too large.", 413)(scope, receive, send)
            return
        body = await _read_body(receive)
        if body is None:
            await PlainTextResponse("The request body is too large.", 413)(scope, receive, send)
            return
        await self.app(scope, _replay(body, receive), send)

    def _is_same_origin(self, headers: Headers) -> bool:
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site in {"same-origin", "none"}
        origin = headers.get("origin")
        if origin is None:
            return True
        return urlsplit(origin).netloc in {headers.get("host", ""), self._public_origin} - {""}


async def _read_body(receive: Receive) -> bytes | None:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""  # the client left; there is nobody to answer
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > BODY_LIMIT_BYTES:
            return None
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replayed() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


class VisitorCookie:
    """Gives each browser a signed, http-only name, and each request its CSRF token.

    Nothing is stored on the server until a learner starts an attempt. `request.state.visitor_id` is the name;
    `request.state.csrf_token` is an HMAC of it, so a token is good for one browser only.
    """

    def __init__(self, app: ASGIApp, *, secret: str) -> None:
        self.app = app
        self._signer = Signer(secret, salt="visitor", digest_method=hashlib.sha256)
        self._csrf_key = hashlib.sha256(f"csrf:{secret}".encode()).digest()
        self._read = lru_cache(COOKIES_KEPT)(self._verify)  # a cookie comes with every request of its browser

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_tls = scope["scheme"] == "https"
        name = "__Host-rematch" if is_tls else "rematch"
        value = HTTPConnection(scope).cookies.get(name, "")
        known = self._read(value) if len(value) <= COOKIE_LIMIT else None
        visitor_id = known or secrets.token_urlsafe(18)
        state = scope.setdefault("state", {})
        state["visitor_id"] = visitor_id
        state["csrf_token"] = hmac.digest(self._csrf_key, visitor_id.encode(), "sha256").hex()
        if known:
            await self.app(scope, receive, send)
            return
        signed = self._signer.sign(visitor_id).decode()
        cookie = f"{name}={signed}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Lax"
        cookie += "; Secure" if is_tls else ""

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("set-cookie", cookie)
            await send(message)

        await self.app(scope, receive, send_with_cookie)

    def _verify(self, value: str) -> str | None:
        try:
            return self._signer.unsign(value).decode()
        except (BadSignature, UnicodeError):
            return None


async def read_form(request: Request) -> Mapping[str, object]:
    """The fields of a form, read once a request; a file among them is refused with 400."""
    if request.headers.get("content-type", "").partition(";")[0] != FORM_TYPE:
        return await request.form(max_files=0, max_fields=FIELDS_LIMIT)
    held: Mapping[str, object] | None = getattr(request.state, "form", None)
    if held is None:
        request.state.form = held = _parse_form(await request.body())
    return held


def _parse_form(body: bytes) -> Mapping[str, object]:
    """Fields by name, of several the last: what the standard library parses in a tenth of the time."""
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=FIELDS_LIMIT))
    except ValueError as error:  # too many of them, or not UTF-8
        raise BadRequestError(N_("The form cannot be read.")) from error


async def verify_csrf(request: Request) -> None:
    """Refuse a POST whose `csrf_token` field or `X-CSRF-Token` header is not this browser's."""
    given = request.headers.get(CSRF_HEADER)
    if given is None:
        field = (await read_form(request)).get(CSRF_FIELD, "")
        given = field if isinstance(field, str) else ""
    if not hmac.compare_digest(given.encode(), request.state.csrf_token.encode()):
        raise ForbiddenError(
            N_("This page is out of date, or this browser keeps no cookies. Reload it and send again.")
        )
