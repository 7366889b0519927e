"""Keeps the language of the last page that was read, for the next visit to `/`."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.i18n.negotiation import REMEMBERED, find_locale

YEAR_SECONDS = 365 * 24 * 3600


class RememberLocale:
    """Sets the cookie when a page below `/{locale}/` is read in another language than it says."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        locale = find_locale(scope["path"].split("/")[1]) if scope["type"] == "http" else None
        if locale is None or _remembers(scope, locale):
            await self.app(scope, receive, send)
            return
        secure = "; Secure" if scope["scheme"] == "https" else ""
        cookie = f"{REMEMBERED}={locale}; Path=/; Max-Age={YEAR_SECONDS}; HttpOnly; SameSite=Lax{secure}"

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("set-cookie", cookie)
            await send(message)

        await self.app(scope, receive, send_with_cookie)


def _remembers(scope: Scope, locale: str) -> bool:
    wanted = f"{REMEMBERED}={locale}".encode()
    return any(name == b"cookie" and wanted in value.split(b"; ") for name, value in scope["headers"])
