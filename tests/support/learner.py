"""A learner at the browser: finds things by role and by the words of their language, and acts on them."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import httpx2
from playwright.sync_api import Locator, Page, StorageState, expect

from app.banks.forms import ItemForm, QuizForm
from app.banks.source import read_folder
from app.core.settings import ROOT
from app.i18n.locales import Locale
from app.i18n.translations import gettext
from tests.support.clients import Visitor
from tests.support.site import LiveSite

QUIZ = "gradient-checkpointing"
OTHER_QUIZ = "activation-recomputation"
RUN_SECONDS = 100  # after others that were asked for first, on a busy machine
TABS_LIMIT = 60  # no page has so many places to stop at before its main button


@cache
def quiz_form(slug: str = QUIZ) -> QuizForm:
    """A quiz of the site as its file says."""
    return read_folder(ROOT / "quizzes" / slug).form


def wrong_option(item: ItemForm) -> str:
    """An option that is not the key."""
    return next(option.id for option in item.options if option.id != item.key)


class Learner:
    """One person at one page, with a pointer."""

    def __init__(self, page: Page, locale: Locale = Locale.EN) -> None:
        self.page = page
        self.locale = locale

    def words(self, msgid: str, **values: object) -> str:
        """A text of the interface in the learner's language."""
        return gettext(self.locale, msgid).format(**values)

    def find(self, role: Any, msgid: str, **values: object) -> Locator:
        """The thing of that role and of exactly that name."""
        return self.page.get_by_role(role, name=self.words(msgid, **values), exact=True)

    def go(self, path: str) -> None:
        """Open a page of the site in the learner's language."""
        self.page.goto(f"/{self.locale}{path}")

    def reading(self, locale: Locale) -> "Learner":
        """The same person at the same page, in another language."""
        return type(self)(self.page, locale)

    def activate(self, target: Locator) -> None:
        """Follow a link or press a button."""
        target.click()

    def option(self, option_id: str) -> Locator:
        """The radio button of an option."""
        return self.page.get_by_role("radio").and_(self.page.locator(f"[value='{option_id}']"))

    def label_of(self, option_id: str) -> str:
        """An option as the page words it, before it is answered."""
        label = self.page.locator("label", has=self.option(option_id))
        return label.locator(".option-text").inner_text()

    def choose(self, option_id: str) -> None:
        """Mark an option."""
        self.option(option_id).check()

    def send(self) -> None:
        """Send what is marked."""
        self.find("button", "Answer").click()

    def answer(self, option_id: str) -> None:
        """Mark an option, send it, and read the verdict."""
        self.choose(option_id)
        self.send()
        expect(self.verdict).to_be_visible()

    @property
    def verdict(self) -> Locator:
        """The heading that says right or wrong."""
        return self.page.get_by_role("heading", level=2).and_(self.page.locator("#verdict"))

    def expect_question(self, number: int, total: int) -> None:
        """Wait until that question is on the page."""
        expect(self.find("heading", "Question {n} of {total}", n=number, total=total)).to_be_visible()

    def expect_chosen(self, option_id: str, item: ItemForm) -> None:
        """Wait until the page says that this was the answer, in words."""
        is_right = option_id == item.key
        expect(self.verdict).to_have_text(self.words("Right" if is_right else "Not right"))
        words = self.words("Your answer, and right" if is_right else "Your answer")
        chosen = self.page.get_by_role("listitem").filter(has=self.page.get_by_text(words, exact=True))
        position = [option.id for option in item.options].index(option_id)
        feedback = item.options[position].feedback[self.locale]
        expect(chosen).to_have_count(1)
        expect(
            self.page.get_by_role("region", name=self.words("Right" if is_right else "Not right"))
        ).to_contain_text(plain(feedback))


class KeyboardLearner(Learner):
    """One person without a pointer."""

    def tab_to(self, target: Locator) -> None:
        """Press Tab until the focus is there."""
        expect(target).to_be_visible()
        for _ in range(TABS_LIMIT):
            if target.evaluate("each => each === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not reach {target}")

    def activate(self, target: Locator) -> None:
        self.tab_to(target)
        self.page.keyboard.press("Enter")

    def choose(self, option_id: str) -> None:
        """By arrows: Tab enters the group, Space marks where it is, arrows move on."""
        radios = self.page.get_by_role("radio")
        self.tab_to(radios.first)
        self.page.keyboard.press("Space")
        for _ in range(self._position(option_id)):
            self.page.keyboard.press("ArrowDown")
        expect(self.option(option_id)).to_be_checked()

    def choose_by_digit(self, option_id: str) -> None:
        """By 1 to 9, wherever the focus is."""
        self.page.keyboard.press(str(self._position(option_id) + 1))
        expect(self.option(option_id)).to_be_checked()

    def send(self) -> None:
        self.page.keyboard.press("Enter")

    def _position(self, option_id: str) -> int:
        radios = self.page.get_by_role("radio").all()
        return [radio.get_attribute("value") for radio in radios].index(option_id)


def plain(markdown: str) -> str:
    """The beginning of a Markdown text up to its first mark, as a page shows it."""
    shown = markdown
    for mark in ("`", "*", "{", "[", "\n"):
        shown = shown.split(mark, 1)[0]
    return " ".join(shown.split())


def measure(visitor: Visitor, demo: str, params: Mapping[str, object]) -> str:
    """Have a demo measured, and wait until it is; the id of the run."""
    fields = {f"param.{name}": value for name, value in params.items()}
    asked = visitor.post("/en/runs", {"demo": demo} | fields, **{"HX-Request": "true"})
    found = re.search(r"/en/runs/(\w+)/events", asked.text)
    assert found is not None, asked.text
    events = visitor.client.get(f"/en/runs/{found[1]}/events", timeout=RUN_SECONDS)
    assert "event: done" in events.text, events.text
    return found[1]


@contextmanager
def open_visitor(site: LiveSite) -> Iterator[Visitor]:
    """A browser without a window on a live site, to bring a learner to where a journey begins."""
    with httpx2.Client(base_url=site.url, follow_redirects=True, timeout=15) as client:
        yield Visitor(client)


def cookies_of(visitor: Visitor) -> StorageState:
    """What `new_page(storage_state=…)` takes to go on as that visitor."""
    cookies = [
        {"name": each.name, "value": each.value or "", "domain": "127.0.0.1", "path": "/"}
        for each in visitor.client.cookies.jar
    ]
    return {"cookies": cookies, "origins": []}  # type: ignore[typeddict-item]
