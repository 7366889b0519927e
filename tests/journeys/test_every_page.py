"""Each kind of page: no accessibility violation, no sideways scroll, and a light first visit."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, Response, StorageState, expect

from app.core.settings import ROOT
from app.i18n.locales import Locale
from tests.support.browser import DESKTOP, PHONE, SMALL_PHONE, NewPage, Watch
from tests.support.learner import QUIZ, cookies_of, measure, open_visitor, quiz_form
from tests.support.site import LiveSite

pytestmark = pytest.mark.journey
AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
RUN_AXE = """
async rules => (await axe.run(document, rules ? { runOnly: rules } : {})).violations.map(
  ({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(each => each.html).join(" | ")}`)
"""
COLOURS = ["color-contrast", "link-in-text-block"]  # all that a scheme can change
AXE_RUNS: list[tuple[tuple[int, int], Literal["light", "dark"], list[str] | None]] = [
    (PHONE, "light", None),
    (PHONE, "dark", COLOURS),
    (DESKTOP, "dark", None),
    (DESKTOP, "light", COLOURS),
]
TOO_WIDE = """
() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
  .filter(each => each.getBoundingClientRect().right > innerWidth + 1 && !each.closest(".scroll, pre"))
  .slice(-3).map(each => each.outerHTML.slice(0, 200)).concat("wider than the window")
"""
FIRST_VISIT_BYTES, FIRST_VISIT_REQUESTS = 50_000, 5


# One demo for each kind of picture that the first question does not have, as small as it may be.
PICTURES: dict[str, dict[str, int]] = {
    "rng": {"features": 16, "batch": 8},
    "sqrt-n": {"layers": 16, "width": 16, "batch": 8},
    "replay": {"width": 16, "batch": 8},
}


@dataclass
class Places:
    """A visitor with a finished attempt and an open one, whose first question is answered and measured."""

    cookies: StorageState
    finished: str
    begun: str
    run: str


@pytest.fixture
def visited_site(measuring_site: LiveSite) -> LiveSite:
    """The site with its worker at work."""
    return measuring_site


@pytest.fixture(scope="module")
def places(measuring_site: LiveSite) -> Places:
    """Where the pages of a visitor are."""
    items = quiz_form().items
    with open_visitor(measuring_site) as visitor:
        finished = visitor.start(QUIZ)
        for number, item in enumerate(items, 1):
            visitor.answer(finished, number, item.options[0].id)
        visitor.post(f"{finished}/finish")
        begun = visitor.start(QUIZ)
        visitor.answer(begun, 1, items[0].key)
        assert items[0].evidence is not None
        run = measure(visitor, items[0].evidence.demo, items[0].evidence.params)
        return Places(cookies_of(visitor), finished.removeprefix("/en"), begun.removeprefix("/en"), run)


def _open_details(page: Page) -> None:
    page.evaluate("() => document.querySelectorAll('details').forEach(each => { each.open = true; })")


def _send_nothing(page: Page) -> None:
    """Answer without a choice, past the browser's own check: the page says what is missing."""
    page.evaluate("() => { document.querySelector('main form').noValidate = true; }")
    page.locator("#answer").click()
    expect(page.locator("#problem")).to_be_visible()


def _search(page: Page) -> None:
    """From home by the keyboard alone."""
    page.keyboard.press("/")
    page.keyboard.type("torch.utils.checkpoint")
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_contain_text("torch.utils.checkpoint")


@dataclass(frozen=True)
class Kind:
    """One kind of page: its path, and what is done on it first."""

    name: str
    path: Callable[[Places], str]
    prepare: Callable[[Page], None] = _open_details
    status: int = 200
    allowed: list[str] = field(default_factory=list)


KINDS = [
    Kind("home", lambda _: "/"),
    Kind("search", lambda _: "/", _search),
    Kind("quiz", lambda _: f"/quizzes/{QUIZ}"),
    Kind("guide", lambda _: f"/quizzes/{QUIZ}/guide"),
    Kind("guide-demo", lambda _: f"/quizzes/{QUIZ}/guide/demos/cut"),
    Kind("question", lambda at: f"{at.begun}/questions/2"),
    Kind("unanswered", lambda at: f"{at.begun}/questions/3", _send_nothing, allowed=["status of 400"]),
    Kind("answered", lambda at: f"{at.begun}/questions/1"),
    Kind("evidence", lambda at: f"{at.begun}/questions/1/evidence"),
    Kind("result", lambda at: f"{at.finished}/result"),
    Kind("attempts", lambda _: "/attempts/"),
    Kind("lab", lambda _: "/lab/"),
    Kind("demo", lambda _: "/lab/trade"),
    Kind("demo-wrong", lambda _: "/lab/trade?depth=9000", status=400, allowed=["status of 400"]),
    Kind("run", lambda at: f"/runs/{at.run}"),
    Kind("missing", lambda _: "/quizzes/none-of-that-name", status=404, allowed=["status of 404"]),
]


def _open(page: Page, kind: Kind, places: Places, watch: Watch, locale: Locale) -> None:
    for pattern in kind.allowed:
        watch.allow(pattern)
    answer = page.goto(f"/{locale}{kind.path(places)}")
    assert answer is not None
    assert answer.status == kind.status
    kind.prepare(page)


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_each_kind_of_page_is_accessible_and_fits(
    new_page: NewPage, watch: Watch, places: Places, kind: Kind
) -> None:
    page = new_page(storage_state=places.cookies)
    for locale in reversed(Locale):
        _open(page, kind, places, watch, locale)
        assert _find_too_wide(page) == {}, locale
    assert _find_violations(page) == {}


@pytest.mark.parametrize(("demo", "params"), PICTURES.items(), ids=PICTURES)
def test_each_kind_of_picture_is_accessible_and_fits(
    new_page: NewPage, visited_site: LiveSite, demo: str, params: dict[str, int]
) -> None:
    with open_visitor(visited_site) as visitor:
        visitor.get(f"/en/lab/{demo}")
        measure(visitor, demo, params)
    page = new_page()
    for locale in reversed(Locale):
        page.goto(f"/{locale}/lab/{demo}?{urlencode(params)}")
        expect(page.get_by_role("figure")).to_be_visible()
        _open_details(page)
        assert _find_too_wide(page) == {}, locale
    assert _find_violations(page) == {}


def _find_violations(page: Page) -> dict[tuple[int, str], list[str]]:
    """What axe-core finds, by width and colour scheme."""
    found = {}
    page.evaluate(AXE)
    for (width, height), scheme, rules in AXE_RUNS:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        found[width, scheme] = page.evaluate(RUN_AXE, rules)
    return {where: violations for where, violations in found.items() if violations}


def _find_too_wide(page: Page) -> dict[int, list[str]]:
    """What makes the page scroll sideways, by width."""
    found = {}
    for width, height in (SMALL_PHONE, PHONE, DESKTOP):
        page.set_viewport_size({"width": width, "height": height})
        found[width] = page.evaluate(TOO_WIDE)
    return {width: wide for width, wide in found.items() if wide}


@pytest.mark.parametrize("locale", Locale)
def test_a_first_visit_is_light(new_page: NewPage, locale: Locale) -> None:
    page = new_page(locale=locale)
    sizes = _transferred(page, "/")
    assert len(sizes) <= FIRST_VISIT_REQUESTS, sizes
    assert sum(sizes.values()) <= FIRST_VISIT_BYTES, sizes


def test_a_question_with_its_scripts_is_light_too(new_page: NewPage, places: Places) -> None:
    page = new_page(storage_state=places.cookies)
    sizes = _transferred(page, f"/hi{places.begun}/questions/2")
    assert sum(sizes.values()) <= FIRST_VISIT_BYTES, sizes


def _transferred(page: Page, path: str) -> dict[str, int]:
    """Bytes over the wire of each request but a font's, by address; nothing is in the browser's cache yet."""
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - Playwright marks its handlers
    page.goto(path, wait_until="networkidle")
    counted = [each.request for each in answers if each.request.resource_type != "font"]
    return {
        each.url: each.sizes()["responseBodySize"] + each.sizes()["responseHeadersSize"] for each in counted
    }
