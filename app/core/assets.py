"""Static files from memory: compressed once, named by their content, one stylesheet on the wire."""

import gzip
import hashlib
import mimetypes
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.types import Receive, Scope, Send

from app.core.settings import ROOT

STATIC = ROOT / "static"
STYLESHEET = "css/site.css"  # joined from static/css/*.css
SCRIPT = "js/site.js"  # joined from these, in this order: one request in place of three
SCRIPTS = ("vendor/htmx.min.js", "vendor/hx-sse.min.js", "js/app.js")
SUFFIXES = {".css", ".js", ".svg", ".woff2", ".ico", ".png"}
COMPRESSIBLE = {".css", ".js", ".svg"}
FOREVER = b"public, max-age=31536000, immutable"  # for a URL that names its content
A_WHILE = b"public, max-age=300"

_URL = re.compile(r"url\(([^)]+)\)")


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is sent."""

    body: bytes
    packed: bytes | None  # gzip, where that is smaller
    media_type: bytes
    digest: str


class StaticApp:
    """ASGI app for `/static`: the files that lay there when it was first asked."""

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer GET and HEAD; anything else, and any path that is no file, is 404 without a body."""
        if scope["type"] != "http":
            return
        path = scope["path"].removeprefix(scope.get("root_path", "")).lstrip("/")
        asset = load_assets().get(path) if scope["method"] in {"GET", "HEAD"} else None
        if asset is None:
            await _respond(send, 404, [(b"content-length", b"0")], b"")
            return
        headers = dict(scope["headers"])
        named = scope["query_string"] == f"v={asset.digest}".encode()
        sent = [
            (b"etag", f'"{asset.digest}"'.encode()),
            (b"cache-control", FOREVER if named else A_WHILE),
            (b"vary", b"accept-encoding"),
            (b"x-content-type-options", b"nosniff"),
        ]
        if headers.get(b"if-none-match") == f'"{asset.digest}"'.encode():
            await _respond(send, 304, sent, b"")
            return
        body = asset.body
        if asset.packed is not None and b"gzip" in headers.get(b"accept-encoding", b""):
            body = asset.packed
            sent.append((b"content-encoding", b"gzip"))
        sent += [(b"content-type", asset.media_type), (b"content-length", str(len(body)).encode())]
        await _respond(send, 200, sent, b"" if scope["method"] == "HEAD" else body)


def static_app() -> StaticApp:
    """The app to mount at `/static`."""
    return StaticApp()


def static_url(path: str) -> str:
    """The URL of a static file, with its content's hash; without one where the file is not there."""
    asset = load_assets().get(path)
    return f"/static/{path}?v={asset.digest}" if asset else f"/static/{path}"


@cache
def load_assets(root: Path = STATIC) -> dict[str, Asset]:
    """Every file below `root` by its path, and the joined stylesheet and script."""
    assets = {
        file.relative_to(root).as_posix(): _asset(file.suffix, file.read_bytes())
        for file in sorted(root.rglob("*"))
        if file.is_file() and file.suffix in SUFFIXES and file.parent != root / "css"
    }
    sheets = sorted((root / "css").glob("*.css"))
    joined = "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    assets[STYLESHEET] = _asset(".css", _squeeze(_name_urls(joined, assets)).encode())
    bodies = [assets[path].body for path in SCRIPTS if path in assets]
    assets[SCRIPT] = _asset(".js", b"\n;".join(bodies))
    return assets


def _name_urls(css: str, assets: dict[str, Asset]) -> str:
    """`url(../x)` with x's hash, so that fonts too are kept for ever."""

    def named(found: re.Match[str]) -> str:
        path = found[1].strip("\"'").removeprefix("../")
        return f'url("../{path}?v={assets[path].digest}")' if path in assets else found[0]

    return _URL.sub(named, css)


def _squeeze(css: str) -> str:
    """Without comments and indentation; nothing that a parser would notice."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    return "\n".join(line.strip() for line in css.splitlines() if line.strip())


def _asset(suffix: str, body: bytes) -> Asset:
    packed = gzip.compress(body, 9, mtime=0) if suffix in COMPRESSIBLE else None
    media_type = "font/woff2" if suffix == ".woff2" else mimetypes.guess_type(f"x{suffix}")[0] or ""
    if suffix in COMPRESSIBLE:
        media_type += "; charset=utf-8"
    return Asset(
        body=body,
        packed=packed if packed is not None and len(packed) < len(body) else None,
        media_type=media_type.encode(),
        digest=hashlib.sha256(body).hexdigest()[:12],
    )


async def _respond(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
