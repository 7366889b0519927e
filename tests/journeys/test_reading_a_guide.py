"""Reading a guide: a live demo with own parameters, and from a wrong answer to its part and back."""

import re

import pytest
from playwright.sync_api import Locator, expect

from app.i18n.locales import Locale
from tests.support.browser import PHONE, NewPage, Watch
from tests.support.learner import QUIZ, RUN_SECONDS, KeyboardLearner, Learner, quiz_form, wrong_option

pytestmark = pytest.mark.journey
GUIDE = f"/quizzes/{QUIZ}/guide"
DEMO = "cut"  # the first demo of the guide whose memory falls with its parameters
FIRST = quiz_form().items[0]


def _live(learner: Learner) -> Locator:
    return learner.page.locator(f"#demo-{DEMO}")


def _layers(learner: Learner) -> Locator:
    return _live(learner).get_by_label(learner.words("Layers"), exact=True)


@pytest.mark.usefixtures("measuring_site")
def test_a_reader_changes_a_demo_and_measures_it_in_the_guide(new_page: NewPage, watch: Watch) -> None:
    watch.allow("status of 400")
    learner = Learner(new_page(locale="vi", viewport=PHONE), Locale.VI)
    learner.go(GUIDE)
    live = _live(learner)
    live.get_by_text(learner.words("Try other parameters")).click()
    _layers(learner).fill("999")
    learner.activate(live.get_by_role("button", name=learner.words("Use these parameters")))
    expect(live.get_by_role("alert")).to_be_visible()
    expect(_layers(learner)).to_have_value("999")
    expect(_layers(learner)).to_be_focused()
    _layers(learner).fill("12")
    learner.activate(live.get_by_role("button", name=learner.words("Use these parameters")))
    expect(live.get_by_text(learner.words("Not yet measured."))).to_be_visible()
    learner.activate(live.get_by_role("button", name=learner.words("Measure now")))
    expect(live.get_by_role("figure")).to_be_visible(timeout=RUN_SECONDS * 1000)
    expect(live.get_by_role("button", name=learner.words("Run it again now"))).to_be_enabled()
    assert learner.page.url.endswith(GUIDE), "the reader is still in the guide"


def test_without_scripts_a_demo_has_a_page_and_a_way_back(new_page: NewPage) -> None:
    learner = Learner(new_page(javascript=False), Locale.HI)
    learner.go(GUIDE)
    _live(learner).get_by_text(learner.words("Try other parameters")).click()
    _layers(learner).fill("24")
    learner.activate(_live(learner).get_by_role("button", name=learner.words("Use these parameters")))
    expect(_layers(learner)).to_have_value("24")
    learner.activate(learner.find("link", "Back to the guide"))
    expect(learner.page).to_have_url(re.compile(f"{GUIDE}#demo-{DEMO}$"))


def test_a_wrong_answer_leads_to_its_part_and_that_leads_to_the_question(new_page: NewPage) -> None:
    learner = KeyboardLearner(new_page(), Locale.EN)
    learner.go(f"/quizzes/{QUIZ}")
    learner.activate(learner.find("button", "Start the quiz"))
    learner.answer(wrong_option(FIRST))
    learner.activate(learner.page.get_by_role("link", name="Read this part of the guide"))
    expect(learner.page).to_have_url(re.compile(f"{GUIDE}#{FIRST.read}$"))
    expect(learner.page.locator(f"#{FIRST.read}")).to_be_in_viewport()
    learner.activate(learner.page.locator(".questions-on a[href$='#question-1']").first)
    expect(learner.page.locator("#question-1")).to_be_in_viewport()
    learner.activate(learner.page.locator("#question-1").get_by_role("link"))
    expect(learner.page).to_have_url(re.compile(f"{GUIDE}#{FIRST.read}$"))
