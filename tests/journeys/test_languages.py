"""A visitor is met in their own language, and may choose another at any point without losing a thing."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.i18n.locales import Locale
from tests.support.browser import NewPage
from tests.support.learner import QUIZ, Learner, quiz_form

pytestmark = pytest.mark.journey


@pytest.mark.parametrize("locale", Locale)
def test_the_site_opens_in_the_language_of_the_browser(new_page: NewPage, locale: Locale) -> None:
    page = new_page(locale=locale)
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", locale)
    expect(page.get_by_role("link", name=locale.endonym)).to_have_attribute("aria-current", "true")


def test_a_language_that_was_chosen_is_remembered(new_page: NewPage) -> None:
    page = new_page(locale="en")
    page.goto("/")
    page.get_by_role("link", name=Locale.VI.endonym).click()
    expect(page.locator("html")).to_have_attribute("lang", "vi")
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "vi")


def test_another_language_in_the_middle_keeps_the_attempt_the_answer_and_the_choice(page: Page) -> None:
    first, second, *_ = items = quiz_form().items
    english = Learner(page)
    english.go(f"/quizzes/{QUIZ}")
    english.activate(english.find("button", "Start the quiz"))
    english.answer(first.key)

    hindi = english.reading(Locale.HI)
    _switch_to(page, Locale.HI)
    hindi.expect_chosen(first.key, first)  # the answered question, where it was answered
    hindi.activate(hindi.find("link", "Next"))
    hindi.expect_question(2, len(items))
    order = _options_in_order(page)
    hindi.choose(second.key)

    vietnamese = english.reading(Locale.VI)
    _switch_to(page, Locale.VI)
    vietnamese.expect_question(2, len(items))
    expect(vietnamese.option(second.key)).to_be_checked()
    assert _options_in_order(page) == order
    vietnamese.send()
    vietnamese.expect_chosen(second.key, second)
    vietnamese.go("/attempts/")
    words = vietnamese.words("{answered} of {total} answered", answered=2, total=len(items))
    expect(page.get_by_role("main").get_by_role("listitem")).to_contain_text(words)


def test_without_javascript_another_language_after_an_answer_shows_that_answer(new_page: NewPage) -> None:
    page = new_page(javascript=False)
    first = quiz_form().items[0]
    english = Learner(page)
    english.go(f"/quizzes/{QUIZ}")
    english.activate(english.find("button", "Start the quiz"))
    english.answer(first.key)
    _switch_to(page, Locale.VI)
    english.reading(Locale.VI).expect_chosen(first.key, first)


def _switch_to(page: Page, locale: Locale) -> None:
    page.get_by_role("link", name=locale.endonym, exact=True).click()
    page.wait_for_url(re.compile(f"/{locale}/"))


def _options_in_order(page: Page) -> list[str | None]:
    return [radio.get_attribute("value") for radio in page.get_by_role("radio").all()]
