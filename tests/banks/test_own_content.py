"""The two quizzes that the site ships: whole in every language, and loadable as they stand."""

import unicodedata

import pytest

from app.banks import loader
from app.banks.source import QuizSource
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
