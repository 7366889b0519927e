"""The two quizzes that the site ships: whole in every language, and loadable as they stand."""

import re
import subprocess
import sys
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest

from app.banks import loader
from app.banks.guides import list_blocks
from app.banks.source import QuizSource
from app.core.document import read_document
from app.core.settings import ROOT
from app.i18n.locales import Locale


@pytest.fixture(scope="module")
def sources() -> dict[str, QuizSource]:
    return {source.form.slug: source for source in loader.read_all(ROOT / "quizzes")}


def test_both_quizzes_have_their_eight_questions_in_every_language(sources: dict[str, QuizSource]) -> None:
    assert {slug: len(source.form.items) for slug, source in sources.items()} == {
        "gradient-checkpointing": 8,
        "activation-recomputation": 8,
    }
    for source in sources.values():
        assert set(source.form.locales) == set(source.guide) == set(Locale)
        for item in source.form.items:
            assert len(item.options) == 4
            assert all(set(text) == set(Locale) for _, text in item.texts())


def test_every_text_is_normalised(sources: dict[str, QuizSource]) -> None:
    for source in sources.values():
        for item in source.form.items:
            for place, text in item.texts():
                for wording in text.values():
                    assert unicodedata.is_normalized("NFC", wording), (item.id, place)


def test_every_question_with_evidence_shows_a_measured_number(sources: dict[str, QuizSource]) -> None:
    for source in sources.values():
        for item in source.form.items:
            assert (item.evidence is None) == ("{{" not in item.explanation[Locale.EN]), item.id


SCRIPT = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUIZZES = ("gradient-checkpointing",)


@pytest.mark.parametrize("slug", QUIZZES)
class TestGuides:
    def test_are_as_long_as_a_lesson_in_every_language(
        self, sources: dict[str, QuizSource], slug: str
    ) -> None:
        for locale, guide in sources[slug].guide.items():
            assert 1500 <= len(guide.body.split()) <= 3200, locale

    def test_have_the_same_sections_and_demos_in_every_language(
        self, sources: dict[str, QuizSource], slug: str
    ) -> None:
        guides = [guide.body for guide in sources[slug].guide.values()]
        for one, other in pairwise(guides):
            assert read_document(one).anchors == read_document(other).anchors
            assert list(list_blocks(one)) == list(list_blocks(other))
        assert len(list(list_blocks(guides[0]))) >= 5

    def test_every_question_sends_to_a_section(self, sources: dict[str, QuizSource], slug: str) -> None:
        assert all(item.read for item in sources[slug].form.items)

    def test_the_script_measures_what_it_says(
        self, sources: dict[str, QuizSource], slug: str, tmp_path: Path
    ) -> None:
        """Runs the reader's script as it stands: checkpointing keeps less, and computes more."""
        document = read_document(sources[slug].guide[Locale.EN].body)
        [section] = [each for each in document.sections if each.anchor == "measure-your-own"]
        [script] = SCRIPT.findall(section.body)
        path = tmp_path / "measure.py"
        path.write_text(script, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, path], capture_output=True, text=True, check=True, timeout=300, cwd=tmp_path
        )
        found = re.findall(r"^(.+?):\s+([\d.,]+) plain,\s+([\d.,]+) checkpointed", done.stdout, re.MULTILINE)
        measured = {name: (number(plain), number(ours)) for name, plain, ours in found}
        plain, checkpointed = measured["saved bytes"]
        assert 0 < checkpointed < plain * 0.6
        plain, checkpointed = measured["FLOPs"]
        assert plain < checkpointed < plain * 1.5


def number(text: str) -> float:
    return float(text.replace(",", ""))
