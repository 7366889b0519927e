"""«Measure now» where nothing measures: refused, waiting for a worker, queued, shared, cancelled, limited."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Locator, expect

from app.i18n.locales import Locale
from tests.support.browser import PHONE, NewPage, Watch
from tests.support.learner import QUIZ, Learner, quiz_form
from tests.support.site import LiveSite, run_site
from tests.support.workers import START_SECONDS, heard_of, measuring

pytestmark = pytest.mark.journey
AN_HOUR = timedelta(hours=1)
FIRST = quiz_form().items[0]


@pytest.fixture(scope="module")
def visited_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """A site without a worker, where each visitor may ask for one run an hour."""
    environment = {"REMATCH_MEASURE_LIMIT_PER_HOUR": "1"}
    with run_site(tmp_path_factory.mktemp("quiet"), "--no-worker", environment=environment) as site:
        yield site


def _measure_button(learner: Learner) -> Locator:
    return learner.find("button", "Measure now")


def _run(learner: Learner) -> Locator:
    """Where the page tells of the run."""
    return learner.page.locator("#run")


def _ask(learner: Learner, width: int) -> None:
    """Ask for a run of that width: no question has it, so nobody else asks for it."""
    learner.go(f"/lab/trade?width={width}")
    learner.activate(_measure_button(learner))
    expect(learner.find("progressbar", "Progress of the run")).to_be_visible()


@pytest.mark.parametrize(("locale", "javascript"), [(Locale.HI, True), (Locale.VI, False)])
def test_where_no_worker_ever_was_the_page_says_so(
    new_page: NewPage, watch: Watch, locale: Locale, javascript: bool
) -> None:
    watch.allow("status of 503")
    learner = Learner(new_page(javascript=javascript), locale)
    learner.go("/lab/trade")
    expect(
        learner.page.get_by_text(learner.words("No measuring process answers at the moment."))
    ).to_be_visible()
    expect(learner.page.get_by_text(learner.words("Not yet measured."))).to_be_visible()
    learner.activate(_measure_button(learner))
    expect(_run(learner)).to_contain_text(learner.words("No measuring process answers."))
    expect(_run(learner)).to_contain_text("./rematch run")
    if not javascript:
        learner.activate(learner.find("link", "Back to where it was asked for"))
    expect(_measure_button(learner)).to_be_enabled()


def test_a_run_waits_for_its_worker_and_its_numbers_come_by_themselves(
    visited_site: LiveSite, new_page: NewPage
) -> None:
    learner = Learner(new_page(locale="vi", viewport=PHONE), Locale.VI)
    why = learner.page.get_by_role("region", name=learner.words("Why"))
    unmeasured = why.get_by_text(learner.words("not yet measured"), exact=True)
    learner.go(f"/quizzes/{QUIZ}")
    learner.activate(learner.find("button", "Start the quiz"))
    learner.answer(FIRST.key)
    expect(unmeasured).to_have_count(FIRST.explanation[Locale.VI].count("{{"))
    with heard_of(visited_site, ago=AN_HOUR):
        learner.activate(_measure_button(learner))
        words = "The measuring process does not answer. The run goes on by itself when it is back."
        expect(_run(learner)).to_contain_text(learner.words(words))
        with measuring(visited_site):
            expect(why.get_by_role("img")).to_be_visible(timeout=START_SECONDS * 1000)
    expect(unmeasured).to_have_count(0)
    expect(learner.find("heading", "Why")).to_be_focused()
    sizes = why.locator(".prose").get_by_text("iB").all_inner_texts()
    assert any("," in size for size in sizes), "Vietnamese has a decimal comma"
    for size in sizes:  # the same in the sentence, the picture and the table
        expect(why.get_by_role("figure")).to_contain_text(size)
        expect(why.get_by_role("group", name=learner.words("Compared"))).to_contain_text(size)
    expect(learner.find("button", "Run it again now")).to_be_enabled()


def test_the_queue_tells_how_many_are_before_and_moves_up(visited_site: LiveSite, new_page: NewPage) -> None:
    first, second = Learner(new_page(locale="hi"), Locale.HI), Learner(new_page())
    with heard_of(visited_site, ago=-AN_HOUR):
        _ask(first, 100)
        expect(_run(first)).to_contain_text(first.words("In the queue: next to run."))
        _ask(second, 101)
        expect(_run(second)).to_contain_text("In the queue: 1 run before this one.")
        first.activate(first.find("button", "Cancel"))
        expect(_run(first)).to_contain_text(first.words("The run was cancelled."))
        expect(_run(second)).to_contain_text("In the queue: next to run.")
        second.activate(second.find("button", "Cancel"))
        expect(_run(second)).to_contain_text("The run was cancelled.")


def test_who_comes_to_the_same_parameters_sees_the_run_and_cannot_cancel_it(
    visited_site: LiveSite, new_page: NewPage
) -> None:
    first, second = Learner(new_page()), Learner(new_page(locale="vi"), Locale.VI)
    with heard_of(visited_site, ago=-AN_HOUR):
        _ask(first, 102)
        second.go("/lab/trade?width=102")
        expect(_run(second)).to_contain_text(second.words("In the queue: next to run."))
        expect(second.find("button", "Cancel")).to_have_count(0)
        first.activate(first.find("button", "Cancel"))
        expect(_run(second)).to_contain_text(second.words("The run was cancelled."))


@pytest.mark.parametrize(("locale", "javascript"), [(Locale.VI, True), (Locale.HI, False)])
def test_who_asks_too_often_is_told_when_to_come_back(
    visited_site: LiveSite, new_page: NewPage, watch: Watch, locale: Locale, javascript: bool
) -> None:
    watch.allow("status of 429")
    learner = Learner(new_page(javascript=javascript), locale)
    with heard_of(visited_site, ago=-AN_HOUR):
        _ask(learner, 103 + javascript)
        learner.activate(learner.find("button", "Cancel"))
        expect(_run(learner)).to_contain_text(learner.words("The run was cancelled."))
        learner.activate(_measure_button(learner))
        expect(_run(learner)).to_contain_text(learner.words("You have asked for many runs in a short time."))
        before, _, after = learner.words("You can ask again in {time}.", time="|").partition("|")
        expect(_run(learner)).to_contain_text(before)
        expect(_run(learner)).to_contain_text(after)
