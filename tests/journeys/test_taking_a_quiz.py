"""A quiz from the home page to its result, in each language: by keyboard alone, and without JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from app.i18n.locales import Locale
from tests.support.browser import PHONE, NewPage
from tests.support.learner import OTHER_QUIZ, QUIZ, KeyboardLearner, Learner, plain, quiz_form, wrong_option

pytestmark = pytest.mark.journey


@pytest.mark.parametrize("locale", Locale)
def test_a_quiz_is_taken_by_keyboard_alone(new_page: NewPage, locale: Locale) -> None:
    learner = KeyboardLearner(new_page(locale=locale), locale)
    chosen = _take(learner, QUIZ)
    _read_result(learner, QUIZ, chosen)
    learner.activate(learner.find("button", "Take it again"))
    learner.expect_question(1, len(chosen))
    expect(learner.page.get_by_role("radio", checked=True)).to_have_count(0)


@pytest.mark.parametrize("locale", Locale)
def test_a_quiz_is_taken_without_javascript(new_page: NewPage, locale: Locale) -> None:
    learner = Learner(new_page(locale=locale, viewport=PHONE, javascript=False), locale)
    chosen = _take(learner, OTHER_QUIZ)
    _read_result(learner, OTHER_QUIZ, chosen)
    explanation = re.compile(re.escape(learner.words("Explanation and evidence")))
    learner.activate(learner.page.get_by_role("link", name=explanation).first)
    learner.expect_question(1, len(chosen))
    expect(learner.find("heading", "Why")).to_be_visible()


def _take(learner: Learner, slug: str) -> list[tuple[str, str]]:
    """All of a quiz, the second question wrong; for each, what was chosen and the key, as the page says."""
    quiz = quiz_form(slug)
    learner.page.goto("/")
    learner.activate(learner.page.get_by_role("link", name=quiz.title[learner.locale], exact=True))
    learner.activate(learner.find("button", "Start the quiz"))
    chosen = []
    for number, item in enumerate(quiz.items, 1):
        learner.expect_question(number, len(quiz.items))
        option = wrong_option(item) if number == 2 else item.key
        chosen.append((learner.label_of(option), learner.label_of(item.key)))
        if isinstance(learner, KeyboardLearner) and number % 2 == 0:
            learner.choose_by_digit(option)
        else:
            learner.choose(option)
        learner.send()
        learner.expect_chosen(option, item)
        expect(learner.verdict).to_be_focused()
        expect(learner.page.get_by_role("region", name=learner.words("Why"))).to_contain_text(
            plain(item.explanation[learner.locale])
        )
        is_last = number == len(quiz.items)
        onward = learner.find("button", "See your result") if is_last else learner.find("link", "Next")
        learner.activate(onward)
    return chosen


def _read_result(learner: Learner, slug: str, chosen: list[tuple[str, str]]) -> None:
    """The score, the time, and each question with what was chosen and the key."""
    page, total = learner.page, len(chosen)
    right = sum(mine == key for mine, key in chosen)
    expect(learner.find("heading", "{score} of {total} right", score=right, total=total)).to_be_visible()
    expect(learner.find("meter", "Score")).to_have_js_property("value", right)
    before, _, after = learner.words("Time: {time}", time="|").partition("|")
    expect(page.get_by_text(re.compile(f"{re.escape(before)}.*\\d.*{re.escape(after)}"))).to_be_visible()
    lines = page.get_by_role("main").get_by_role("listitem")
    expect(lines).to_have_count(total)
    for line, (mine, key), item in zip(lines.all(), chosen, quiz_form(slug).items, strict=True):
        expect(line).to_contain_text(plain(item.stem[learner.locale]))
        expect(line.get_by_role("definition").first).to_have_text(mine)
        expect(line).to_contain_text(learner.words("Right" if mine == key else "Not right"))
        if mine != key:
            expect(line.get_by_role("definition").last).to_have_text(key)
