"""What is compressed on the wire, and what is left as it is."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from app.core.compression import LEAST_BYTES, Compression

PAGE = "<p>हिन्दी</p>" * LEAST_BYTES


def answer(request: Request) -> Response:
    return {
        "page": lambda: HTMLResponse(PAGE, headers={"Vary": "HX-Request"}),
        "small": lambda: HTMLResponse("<p>small</p>"),
        "text": lambda: PlainTextResponse(PAGE),
        "stream": lambda: StreamingResponse(iter(["<p>1</p>", "<p>2</p>"]), media_type="text/html"),
        "events": lambda: StreamingResponse(iter(["data: 1\n\n"]), media_type="text/event-stream"),
        "none": lambda: Response(status_code=204),
    }[request.path_params["what"]]()


@pytest.fixture
def client() -> TestClient:
    return TestClient(Compression(Starlette(routes=[Route("/{what}", answer)])))


def test_a_page_is_compressed_for_who_accepts_it(client: TestClient) -> None:
    packed = client.get("/page", headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(PAGE.encode()) / 10
    assert packed.text == PAGE
    plain = client.get("/page", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.text == PAGE


def test_both_forms_say_that_they_vary(client: TestClient) -> None:
    for accepted in ("gzip", "identity"):
        sent = client.get("/page", headers={"accept-encoding": accepted})
        assert sent.headers.get_list("vary") == ["HX-Request", "accept-encoding"]


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("small", "<p>small</p>"),
        ("text", PAGE),
        ("stream", "<p>1</p><p>2</p>"),
        ("events", "data: 1\n\n"),
        ("none", ""),
    ],
)
def test_anything_else_passes_as_it_is(client: TestClient, what: str, text: str) -> None:
    sent = client.get(f"/{what}", headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in sent.headers
    assert sent.text == text
