"""A browser-like client of the real application: keeps cookies, follows redirects, reads the CSRF token."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from httpx2 import Client, Response
from starlette.testclient import TestClient

from app.core.settings import Settings
from app.main import create_app
from tests.support.quizzes import prepare_quiz, quiz_data


class Visitor:
    """One browser. `post` sends the token of the page that was read last, as its form would."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.token = ""

    def get(self, path: str, **headers: str) -> Response:
        """Read a page."""
        return self._remember(self.client.get(path, headers=headers))

    def post(self, path: str, fields: dict[str, object] | None = None, **headers: str) -> Response:
        """Send a form."""
        data = {"csrf_token": self.token} | (fields or {})
        return self._remember(self.client.post(path, data=data, headers=headers))

    def start(self, slug: str = "small", locale: str = "en") -> str:
        """Start an attempt; returns its path, `/en/attempts/…`."""
        self.get(f"/{locale}/quizzes/{slug}")
        started = self.post(f"/{locale}/quizzes/{slug}/attempts")
        assert started.status_code == 200, started.text
        return started.url.path.removesuffix("/questions/1")

    def answer(self, attempt: str, question: int, option: str, **headers: str) -> Response:
        """Answer a question."""
        return self.post(f"{attempt}/responses", {"question": question, "option": option}, **headers)

    def _remember(self, response: Response) -> Response:
        found = re.search(r'name="csrf_token" value="([^"]+)"', response.text)
        self.token = found[1] if found else self.token
        return response


@contextmanager
def open_site(settings: Settings) -> Iterator[TestClient]:
    """The application for these settings, started; each TestClient of it is another browser."""
    with TestClient(create_app(settings), base_url="http://testserver") as client:
        yield client


@pytest.fixture
def app_client(settings: Settings, tmp_path: Path) -> Iterator[TestClient]:
    """The application with the small quiz loaded, on SQLite and on PostgreSQL."""
    prepare_quiz(settings, tmp_path / "quizzes", quiz_data())
    with open_site(settings) as client:
        yield client


@pytest.fixture
def visitor(app_client: TestClient) -> Visitor:
    """One browser."""
    return Visitor(app_client)


@pytest.fixture
def stranger(app_client: TestClient) -> Visitor:
    """Another browser on the same site."""
    return Visitor(TestClient(app_client.app, base_url="http://testserver"))
