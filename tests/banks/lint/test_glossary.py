"""The glossary: which words stand for a term, which must not, and where neither is looked for."""

from pathlib import Path

import pytest
import yaml

from app.banks.lint.glossary import Glossary, parse_glossary
from app.banks.linting import read_glossary
from app.banks.source import SourceFaultsError
from app.core.settings import ROOT
from tests.banks.lint.drafts import HI, OWN, VI


def banned(text: str, locale: str) -> list[str]:
    return [found for _, found in OWN.banned(text, locale)]


def test_a_word_inside_a_longer_right_one_is_not_banned() -> None:
    assert banned("giá trị kích hoạt và hàm kích hoạt", VI) == []
    assert banned("Tính toán lại kích hoạt, checkpoint kích hoạt", VI) == []
    assert banned("các kích hoạt", VI) == ["kích hoạt"]
    assert banned("एक्टिवेशन (सक्रियण)", HI) == []
    assert banned("सक्रियणों को", HI) == ["सक्रियण"]


def test_spelling_without_the_nukta_is_the_same_word() -> None:
    assert list(OWN.missing({"offloading"}, "ऑफलोडिंग", HI)) == []
    assert [term.term for term in OWN.missing({"offloading"}, "भेजना", HI)] == ["offloading"]


def test_of_two_terms_in_one_the_longer_is_meant() -> None:
    assert OWN.terms_in("Selective activation checkpointing") == {"selective activation checkpointing"}
    assert OWN.terms_in("the gradients of each layer") == {"gradient", "layer"}
    assert OWN.terms_in("gradiently") == set()


def test_an_empty_glossary_looks_for_nothing() -> None:
    assert list(Glossary().banned("độ dốc", VI)) == []
    assert Glossary().terms_in("gradient") == set()


def test_our_own_words_are_not_banned_by_one_another() -> None:
    for term in OWN.terms:
        for locale, wording in term.wordings.items():
            for use in wording.use:
                assert banned(use, locale) == [], (term.term, use)


def test_every_term_has_a_wording_in_each_language_of_the_site() -> None:
    assert all(
        set(term.wordings) == {HI, VI} and all(each.use for each in term.wordings.values())
        for term in OWN.terms
    )


@pytest.mark.parametrize("text", ["- 1", "terms: [{term: x, hi: {}}]", "terms: [", "{}", "\x00"])
def test_what_is_no_glossary_is_refused_by_name(text: str, tmp_path: Path) -> None:
    (tmp_path / "glossary.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(SourceFaultsError) as refused:
        read_glossary(tmp_path)
    assert refused.value.faults[0].file.endswith("glossary.yaml")


def test_a_folder_without_a_glossary_has_an_empty_one(tmp_path: Path) -> None:
    assert read_glossary(tmp_path).terms == ()
    data = yaml.safe_load((ROOT / "quizzes" / "glossary.yaml").read_text(encoding="utf-8"))
    assert parse_glossary(data) == read_glossary(ROOT / "quizzes")
