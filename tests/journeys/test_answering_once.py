"""An answer counts once, whatever the browser, the learner or a second tab does; and nothing is lost."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, Route, expect

from app.i18n.locales import Locale
from tests.support.browser import NewPage, Watch
from tests.support.clients import Visitor
from tests.support.learner import QUIZ, Learner, cookies_of, open_visitor, quiz_form, wrong_option
from tests.support.site import LiveSite

pytestmark = pytest.mark.journey
with_and_without_javascript = pytest.mark.parametrize("javascript", [True, False], ids=["js", "no-js"])
ITEMS = quiz_form().items
FIRST, LAST = ITEMS[0], ITEMS[-1]
TOTAL = len(ITEMS)


@contextmanager
def _begun(site: LiveSite, *, answered: int = 0) -> Iterator[tuple[Visitor, str]]:
    """A visitor with an attempt and the first `answered` questions right; and the attempt's path."""
    with open_visitor(site) as visitor:
        attempt = visitor.start(QUIZ)
        for number, item in enumerate(ITEMS[:answered], 1):
            visitor.answer(attempt, number, item.key)
        yield visitor, attempt


def _expect_answered(page: Page, answered: int) -> None:
    """The server's own count, on a fresh page."""
    learner = Learner(page)
    learner.go("/attempts/")
    _expect_listed(learner, answered)


def test_a_second_submit_while_the_first_is_on_its_way_sends_nothing(
    live_site: LiveSite, new_page: NewPage
) -> None:
    with _begun(live_site) as (visitor, attempt):
        page = new_page(storage_state=cookies_of(visitor))
    held: list[Route] = []
    page.route("**/responses", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks its handlers
    page.goto(f"{attempt}/questions/1")
    learner = Learner(page)
    learner.choose(FIRST.key)
    with page.expect_request("**/responses"):
        learner.send()
    expect(learner.find("button", "Answer")).to_be_disabled()
    learner.option(wrong_option(FIRST)).press("Enter")  # submits the form, as a browser sees it
    learner.choose(wrong_option(FIRST))
    for route in held:
        route.continue_()
    learner.expect_chosen(FIRST.key, FIRST)
    assert len(held) == 1
    _expect_answered(page, 1)


@with_and_without_javascript
def test_a_double_click_answers_once(live_site: LiveSite, new_page: NewPage, javascript: bool) -> None:
    with _begun(live_site) as (visitor, attempt):
        page = new_page(storage_state=cookies_of(visitor), javascript=javascript)
    page.goto(f"{attempt}/questions/1")
    learner = Learner(page)
    learner.choose(FIRST.key)
    learner.find("button", "Answer").dblclick()
    learner.expect_chosen(FIRST.key, FIRST)
    _expect_answered(page, 1)


@with_and_without_javascript
def test_back_and_another_answer_gives_the_first_again(
    live_site: LiveSite, new_page: NewPage, javascript: bool
) -> None:
    with _begun(live_site) as (visitor, attempt):
        page = new_page(storage_state=cookies_of(visitor), javascript=javascript)
    page.goto(f"{attempt}/questions/1")
    learner = Learner(page)
    learner.answer(FIRST.key)
    learner.activate(learner.find("link", "Next"))
    learner.expect_question(2, TOTAL)
    page.go_back()
    if not javascript:
        learner.expect_chosen(FIRST.key, FIRST)  # there the answer is a page of its own
        page.go_back()
    learner.expect_question(1, TOTAL)
    learner.answer(wrong_option(FIRST))  # the browser kept the form as it was before the answer
    learner.expect_chosen(FIRST.key, FIRST)
    _expect_answered(page, 1)


@with_and_without_javascript
def test_two_tabs_at_one_question_count_the_first_answer(
    live_site: LiveSite, new_page: NewPage, javascript: bool
) -> None:
    with _begun(live_site) as (visitor, attempt):
        first = new_page(storage_state=cookies_of(visitor), javascript=javascript)
    second = first.context.new_page()
    for tab in (first, second):
        tab.goto(f"{attempt}/questions/1")
    Learner(first).answer(wrong_option(FIRST))
    Learner(second).answer(FIRST.key)
    Learner(second).expect_chosen(wrong_option(FIRST), FIRST)
    _expect_answered(second, 1)


@pytest.mark.parametrize(("locale", "javascript"), [(Locale.HI, True), (Locale.VI, False)])
def test_an_answer_after_the_end_is_refused_in_words(
    live_site: LiveSite, new_page: NewPage, watch: Watch, locale: Locale, javascript: bool
) -> None:
    with _begun(live_site, answered=TOTAL - 1) as (visitor, attempt):
        page = new_page(storage_state=cookies_of(visitor), javascript=javascript)
        page.goto(f"{attempt.replace('/en/', f'/{locale}/')}/questions/{TOTAL}")
        visitor.answer(attempt, TOTAL, wrong_option(LAST))  # in another tab, which then ends the attempt
        visitor.post(f"{attempt}/finish")
    watch.allow("status of 409")
    learner = Learner(page, locale)
    learner.choose(LAST.key)
    with page.expect_response("**/responses") as answered:
        learner.send()
    assert answered.value.status == 409
    words = learner.words("This attempt has ended. Your score stays as it was.")
    expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    learner.expect_chosen(wrong_option(LAST), LAST)
    learner.activate(learner.find("link", "To the result"))
    score = learner.words("{score} of {total} right", score=TOTAL - 1, total=TOTAL)
    expect(page.get_by_role("heading", level=1)).to_have_text(score)


def test_a_learner_comes_back_later(live_site: LiveSite, new_page: NewPage) -> None:
    locale = Locale.HI
    with _begun(live_site, answered=3) as (visitor, _):
        page = new_page(storage_state=cookies_of(visitor), locale=locale)
    learner = Learner(page, locale)
    learner.go("/")
    learner.activate(learner.find("link", "Go on"))
    learner.expect_question(4, TOTAL)
    learner.activate(learner.find("link", "My attempts"))
    _expect_listed(learner, 3)
    learner.activate(page.get_by_role("link", name=quiz_form().title[locale], exact=True))
    learner.expect_question(4, TOTAL)
    learner.activate(page.get_by_role("link", name=quiz_form().title[locale], exact=True))
    words = "Go on: {answered} of {total} answered"
    learner.activate(learner.find("link", words, answered=3, total=TOTAL))
    learner.expect_question(4, TOTAL)


def test_a_finished_attempt_is_kept(live_site: LiveSite, new_page: NewPage) -> None:
    with _begun(live_site, answered=TOTAL) as (visitor, attempt):
        visitor.post(f"{attempt}/finish")
        page = new_page(storage_state=cookies_of(visitor))
    learner = Learner(page)
    learner.go("/attempts/")
    score = learner.words("{score} of {total} right", score=TOTAL, total=TOTAL)
    expect(page.get_by_role("main").get_by_role("listitem")).to_contain_text(score)
    learner.activate(page.get_by_role("link", name=quiz_form().title[learner.locale], exact=True))
    expect(page.get_by_role("heading", level=1)).to_have_text(score)


def test_another_visitor_sees_nothing_of_it(live_site: LiveSite, page: Page, watch: Watch) -> None:
    with _begun(live_site, answered=1) as (_, attempt):
        pass
    watch.allow("status of 404")
    answer = page.goto(f"{attempt}/questions/1")
    assert answer is not None
    assert answer.status == 404
    Learner(page).go("/attempts/")
    expect(page.get_by_text("You have not taken a quiz in this browser yet.")).to_be_visible()


def _expect_listed(learner: Learner, answered: int) -> None:
    words = learner.words("{answered} of {total} answered", answered=answered, total=TOTAL)
    listed = learner.page.get_by_role("main").get_by_role("listitem")
    expect(listed).to_have_count(1)
    expect(listed).to_contain_text(words)
