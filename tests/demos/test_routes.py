"""Runs as a browser asks for them, with and without JavaScript, and their events."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import delete
from starlette.testclient import TestClient

from app.core.db import writing
from app.demos import service
from app.demos.tables import Worker
from app.main import create_app
from tests.demos.conftest import Site

HTMX = {"HX-Request": "true"}


class Browser:
    """A client of the application that sends the CSRF token of its pages."""

    def __init__(self, app: Any) -> None:
        self.client = TestClient(app, follow_redirects=False)
        page = self.client.get("/en/lab/trade/evidence?depth=32").text
        found = re.search(r'name="csrf_token" value="([^"]+)"', page)
        assert found
        self.token = found[1]

    def post(self, path: str, headers: dict[str, str] | None = None, **fields: object) -> Any:
        data = {"csrf_token": self.token} | fields
        return self.client.post(path, data=data, headers=headers or {})

    def ask(self, depth: int, headers: dict[str, str] | None = None, **fields: object) -> Any:
        return self.post("/en/runs", headers, demo="trade", **{"param.depth": depth}, **fields)

    def ask_for_run(self, depth: int) -> str:
        """Ask, and return the path of the run."""
        path = self.ask(depth).headers["location"]
        return str(path).removeprefix("http://testserver")

    def events(self, path: str, last_id: int | None = None) -> list[dict[str, str]]:
        headers = {} if last_id is None else {"Last-Event-ID": str(last_id)}
        response = self.client.get(f"{path}/events", headers=headers)
        assert response.headers["content-type"].startswith("text/event-stream")
        return [read_event(block) for block in response.text.strip().split("\n\n")]


def read_event(block: str) -> dict[str, str]:
    event: dict[str, str] = {}
    for line in block.splitlines():
        name, _, value = line.partition(": ")
        event[name] = f"{event[name]}\n{value}" if name in event else value
    return event


@pytest.fixture(scope="module")
def app(served_site: Site) -> Iterator[Any]:
    with TestClient(create_app(served_site.settings)) as client:
        yield client.app


@pytest.fixture(scope="module")
def browser(app: Any) -> Browser:
    return Browser(app)


class TestAsking:
    def test_htmx_gets_the_run_as_a_fragment_that_follows_its_events(self, browser: Browser) -> None:
        response = browser.ask(16, HTMX)
        assert response.status_code == 200
        assert "<html" not in response.text
        assert re.search(r'hx-sse:connect="/en/runs/[0-9a-f]{32}/events"', response.text)

    def test_without_script_it_leads_back_with_the_run_in_the_query(self, browser: Browser) -> None:
        response = browser.ask(17, return_to="/en/lab/trade?depth=17")
        assert response.status_code == 303
        assert re.fullmatch(r"/en/lab/trade\?depth=17&run=[0-9a-f]{32}", response.headers["location"])

    def test_with_nowhere_to_go_back_to_it_leads_to_the_run(self, browser: Browser) -> None:
        for return_to in ("", "https://evil.example/", "//evil.example"):
            response = browser.ask(17, return_to=return_to)
            path = response.headers["location"].removeprefix("http://testserver")
            assert re.fullmatch(r"/en/runs/[0-9a-f]{32}", path)

    def test_a_form_without_the_token_is_refused(self, browser: Browser) -> None:
        response = browser.client.post("/en/runs", data={"demo": "trade"})
        assert response.status_code == 403

    @pytest.mark.parametrize(
        ("demo", "name", "value", "status"),
        [
            ("no-such-demo", "depth", "16", 404),
            ("trade", "depth", "1000000", 400),
            ("trade", "depth", "many", 400),
            ("trade", "colour", "1", 400),
        ],
    )
    def test_what_no_demo_takes_is_refused(
        self, browser: Browser, demo: str, name: str, value: str, status: int
    ) -> None:
        response = browser.post("/en/runs", demo=demo, **{f"param.{name}": value})
        assert response.status_code == status

    def test_a_full_queue_has_its_own_words(self, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(service, "QUEUE_LIMIT", 0)
        for headers in (HTMX, {}):
            response = browser.ask(18, headers)
            assert response.status_code == 503
            assert "The queue is full." in response.text

    def test_too_many_say_when_to_come_back(self, app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(app.state.settings, "measure_limit_per_hour", 1)
        other = Browser(app)
        other.ask(19)
        response = other.ask(20, HTMX)
        assert response.status_code == 429
        assert 3500 < int(response.headers["retry-after"]) <= 3600


class TestEvents:
    def test_they_draw_the_run_and_end_with_done(self, browser: Browser) -> None:
        path = browser.ask_for_run(21)
        *states, done = browser.events(path)
        assert done == {"event": "done", "data": "done"}
        assert all("run-state" in state["data"] for state in states)
        assert "<progress" in states[0]["data"]
        assert "Measured." in states[-1]["data"]
        ids = [int(state["id"]) for state in states if "id" in state]
        assert ids == sorted(set(ids))
        assert "Measured." in browser.client.get(path).text

    def test_coming_back_shows_no_step_twice(self, browser: Browser) -> None:
        path = browser.ask_for_run(22)
        ids = [int(event["id"]) for event in browser.events(path) if "id" in event]
        for last_id in (0, ids[-1], 999):
            events = browser.events(path, last_id)
            assert [int(event["id"]) for event in events if "id" in event] == []
            assert events[-1] == {"event": "done", "data": "done"}

    def test_a_failure_ends_them_with_its_own_words(self, browser: Browser) -> None:
        *states, done = browser.events(browser.ask_for_run(9))
        assert done == {"event": "done", "data": "failed"}
        assert "The run failed." in states[-1]["data"]

    def test_they_come_in_the_readers_language(self, browser: Browser) -> None:
        path = browser.ask_for_run(23).replace("/en/", "/vi/")
        assert browser.events(path)[-1] == {"event": "done", "data": "done"}

    def test_of_an_unknown_run_there_are_none(self, browser: Browser) -> None:
        assert browser.client.get("/en/runs/unknown/events").status_code == 204
        assert browser.client.get("/en/runs/unknown").status_code == 404


class TestCancelling:
    def test_who_asked_may_and_others_may_not(self, app: Any, browser: Browser, served_site: Site) -> None:
        running = served_site.enqueue("sleep", 90, ms=1000)
        path = browser.ask_for_run(24)
        assert 'cancel-run"' in browser.client.get(path).text
        stranger = Browser(app)
        assert 'cancel-run"' not in stranger.client.get(path).text
        assert stranger.post(f"{path}/cancel").status_code == 403
        assert browser.post(f"{path}/cancel", HTMX).status_code == 200
        events = browser.events(path)
        assert events[-1] == {"event": "done", "data": "cancelled"}
        assert "The run was cancelled." in events[-2]["data"]
        served_site.wait_for(running, "done")


class TestWithoutAWorker:
    def test_the_page_says_that_none_answers(self, site: Site) -> None:
        with writing(site.engine) as session:
            session.execute(delete(Worker))
        with TestClient(create_app(site.settings)) as client:
            response = Browser(client.app).ask(16)
        assert response.status_code == 503
        assert "No measuring process answers." in response.text
