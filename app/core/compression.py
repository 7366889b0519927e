"""gzip for whole pages. Starlette's middleware writes through file objects: more work than deflating."""

import zlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LEAST_BYTES = 1500  # below, a page is one packet either way
LEVEL = 1  # 6 costs 2.5 times the CPU for a tenth fewer bytes
GZIP = 31  # zlib's window bits with a gzip header

Headers = list[tuple[bytes, bytes]]


class Compression:
    """Compresses HTML that is sent in one piece to clients that accept it; streams pass as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        accepts = any(name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"])
        start: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(message):
                start = message  # held until its body says whether there is more
                return
            if start is not None:
                body = message.get("body", b"")
                added = [(b"vary", b"accept-encoding")]
                if accepts and len(body) >= LEAST_BYTES and not message.get("more_body", False):
                    message["body"] = body = zlib.compress(body, LEVEL, GZIP)
                    added += [(b"content-encoding", b"gzip"), (b"content-length", b"%d" % len(body))]
                start["headers"] = _replaced(start["headers"], added)
                await send(start)
                start = None
            await send(message)

        await self.app(scope, receive, send_compressed)


def _replaced(headers: Headers, added: Headers) -> Headers:
    """The headers with these in place of those of the same name; `vary` keeps what it says already."""
    names = {name for name, _ in added} - {b"vary"}
    return [header for header in headers if header[0] not in names] + added


def _is_page(message: Message) -> bool:
    return any(
        name == b"content-type" and value.startswith(b"text/html")
        for name, value in message.get("headers", ())
    )
