"""After an answer: what was measured, where and when; and the same measured again, before one's eyes."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, StorageState, expect

from app.i18n.locales import Locale
from tests.support.browser import NewPage, Watch
from tests.support.learner import QUIZ, Learner, cookies_of, measure, open_visitor, quiz_form
from tests.support.site import LiveSite

pytestmark = pytest.mark.journey
RUN_MS = 100_000  # behind a run that was prepared, on a busy machine
FIRST = quiz_form().items[0]

# What the page tells of a run passes quickly: noted as it comes, each text once.
NOTE_RUN = """
window.told = [];
new MutationObserver(() => {
  const words = document.querySelector("#run .run-state")?.innerText.trim();
  const bar = document.querySelector("#run progress");
  if (words) window.told.push([words, bar ? bar.value : 100]);
}).observe(document, { subtree: true, childList: true });
"""


@pytest.fixture
def visited_site(measuring_site: LiveSite) -> LiveSite:
    """The site with its worker at work."""
    return measuring_site


@pytest.fixture(scope="module")
def answered(measuring_site: LiveSite) -> tuple[StorageState, str]:
    """A visitor who has answered the first question, measured since; and the path of that question."""
    with open_visitor(measuring_site) as visitor:
        attempt = visitor.start(QUIZ)
        visitor.answer(attempt, 1, FIRST.key)
        assert FIRST.evidence is not None
        measure(visitor, FIRST.evidence.demo, FIRST.evidence.params)
        return cookies_of(visitor), attempt.removeprefix("/en") + "/questions/1"


def _why(learner: Learner) -> Locator:
    return learner.page.get_by_role("region", name=learner.words("Why"))


def _measured_at(learner: Learner) -> datetime:
    return datetime.fromisoformat(_why(learner).get_by_role("time").first.get_attribute("datetime") or "")


@pytest.mark.parametrize("locale", Locale)
def test_what_was_measured_is_shown_with_its_age_and_its_device(
    new_page: NewPage, answered: tuple[StorageState, str], locale: Locale
) -> None:
    cookies, path = answered
    learner = Learner(new_page(storage_state=cookies), locale)
    learner.go(path)
    why = _why(learner)
    expect(why.locator(".provenance")).to_contain_text(learner.words("Counted on CPU"))
    expect(why.locator(".provenance")).to_contain_text("PyTorch 2.")
    assert timedelta(0) < datetime.now(UTC) - _measured_at(learner) < timedelta(hours=1)
    expect(why.get_by_role("time").first).to_have_text(re.compile(r"\S"))
    expect(why.get_by_role("img")).to_have_accessible_description(re.compile(r"\d"))
    for closed in why.get_by_role("group").all():  # every <details>
        closed.evaluate("each => { each.open = true; }")
    expect(why).not_to_contain_text(re.compile("CUDA|TF32|GPU"))
    expect(why).not_to_contain_text(learner.words("reserved by the allocator"))
    ratio = re.escape(learner.words("{ratio} less", ratio="|")).replace(r"\|", r"[\d.,]+×")
    expect(why.get_by_role("group", name=learner.words("Compared"))).to_contain_text(re.compile(ratio))


def test_running_it_again_streams_its_progress_and_swaps_the_numbers_in(
    new_page: NewPage, answered: tuple[StorageState, str]
) -> None:
    cookies, path = answered
    learner = Learner(new_page(storage_state=cookies), Locale.HI)
    learner.page.add_init_script(NOTE_RUN)
    learner.go(path)
    sentence, before = _why(learner).locator(".prose").inner_text(), _measured_at(learner)
    learner.activate(learner.find("button", "Run it again now"))
    _expect_newer(learner, before)
    expect(_why(learner).locator(".prose")).to_have_text(
        sentence
    )  # bytes and operations are the same each time
    expect(learner.find("heading", "Why")).to_be_focused()
    expect(learner.find("button", "Run it again now")).to_be_enabled()
    told = learner.page.evaluate("window.told")
    assert any(learner.words("Measuring…") in words for words, _ in told), told
    amounts = [amount for _, amount in told]
    assert amounts == sorted(amounts)
    assert len(set(amounts)) > 2, "the progress moves"


def test_without_javascript_the_answer_s_own_page_has_its_evidence(
    new_page: NewPage,
    answered: tuple[StorageState, str],  # noqa: ARG001 - that it is measured
) -> None:
    learner = Learner(new_page(javascript=False), Locale.HI)
    learner.go(f"/quizzes/{QUIZ}")
    learner.activate(learner.find("button", "Start the quiz"))
    learner.answer(FIRST.key)
    learner.page.wait_for_url("**/responses")
    expect(_why(learner).locator(".provenance")).to_contain_text(learner.words("Counted on CPU"))
    expect(_why(learner).locator(".prose").first.get_by_text("MiB").first).to_be_visible()


def test_without_javascript_the_lab_measures_and_its_page_follows(new_page: NewPage) -> None:
    page = new_page(javascript=False)
    learner = Learner(page, Locale.VI)
    learner.go("/lab/")
    learner.activate(learner.find("link", "Memory traded for computation"))
    page.get_by_label(learner.words("Layers")).fill("8")
    page.get_by_label(learner.words("Width of a layer")).fill("40")
    learner.activate(learner.find("button", "Use these parameters"))
    expect(page.get_by_text(learner.words("Not yet measured."))).to_be_visible()
    learner.activate(learner.find("button", "Measure now"))
    page.wait_for_url("**/lab/trade?*run=*")
    evidence = page.get_by_role("region", name=learner.words("Evidence"))
    expect(evidence.get_by_role("figure")).to_contain_text("KiB", timeout=RUN_MS)
    expect(learner.find("button", "Run it again now")).to_be_enabled()


def test_a_parameter_that_is_out_of_bounds_is_named_beside_its_field(page: Page, watch: Watch) -> None:
    watch.allow("status of 400")
    learner = Learner(page)
    learner.go("/lab/trade")
    page.get_by_label("Layers").fill("8000")
    learner.activate(learner.find("button", "Use these parameters"))
    expect(page.get_by_label("Layers")).to_have_accessible_description(re.compile("must be between"))
    expect(page.get_by_label("Layers")).to_have_value("8000")


def _expect_newer(learner: Learner, before: datetime) -> None:
    """Wait until the region shows another measurement than that one."""
    shown = _why(learner).get_by_role("time").first
    expect(shown).not_to_have_attribute("datetime", before.isoformat(), timeout=RUN_MS)
    assert _measured_at(learner) > before
