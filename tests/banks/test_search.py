"""How a text is cut and folded into words, what of a quiz becomes a document, and which comes first."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.banks.search import QUERY_LIMIT, TERM_LIMIT, fold, read_query, terms_of, tokens
from app.banks.search_documents import plain_text
from app.banks.search_ranking import SNIPPET_WORDS, pieces, rank, wanted

SAME = {
    "tone marks": ("bộ nhớ đỉnh", "bo nho dinh"),
    "case": ("BỘ NHỚ ĐỈNH", "bộ nhớ đỉnh"),
    "decomposed": ("bo\u0323\u0302 nho\u031b\u0301 đi\u0309nh", "bộ nhớ đỉnh"),
    "nukta": ("लाज़मी", "लाजमी"),
    "nukta in one character": ("\u095e\u093e\u0907\u0932", "\u092b\u093c\u093e\u0907\u0932"),
    "joiners": ("क्\u200dष क्\u200cष", "क्ष क्ष"),
    "nasal and anusvara": ("हिन्दी कम्प्यूटर", "हिंदी कंप्यूटर"),
    "chandrabindu": ("हाँ", "हां"),
    "candra o": ("ऑप्टिमाइज़र", "आप्टिमाइजर"),
    "digits": ("१६ लेयर", "16 लेयर"),
    "root": ("√N", "sqrt(N)"),
    "compatibility": ("ﬁle k²", "file k2"),
}


def words(text: str) -> list[str]:
    return [word for token in tokens(text) for word in token.plain]


@pytest.mark.parametrize(("typed", "meant"), SAME.values(), ids=SAME)
def test_what_readers_take_for_one_word_is_one(typed: str, meant: str) -> None:
    assert words(typed) == words(meant) != []


def test_vowel_signs_make_another_word_and_a_word_is_never_broken_at_them() -> None:
    assert words("मेमोरी मोमेरी की के कि") == ["मेमोरी", "मोमेरी", "की", "के", "कि"]
    assert fold("भिन्न") == "भिन्न"  # a doubled nasal is none of the two spellings


def test_an_identifier_is_found_whole_from_each_of_its_names_on_and_by_each_name() -> None:
    found = terms_of(list(tokens("Call torch.utils.checkpoint(f, use_reentrant=False) of PyTorch.")))
    assert found >= {"torch.utils.checkpoint", "utils.checkpoint", "torch", "utils", "checkpoint"}
    assert found >= {"use_reentrant", "use", "reentrant", "false", "pytorch", "py"}


@given(st.text(max_size=400) | st.text(alphabet="\"'*():^-&|!<>\\\0 aĐ़्̣\u200d._", max_size=400))
def test_a_term_never_has_a_character_that_an_index_could_take_for_syntax(typed: str) -> None:
    query = read_query(typed)
    terms = [*query.terms, *query.words]
    assert all(re.fullmatch(r"[^\s\"'*():^&|!<>\\\x00-\x1f]+", term.text) for term in terms)
    assert all(len(term.text) <= TERM_LIMIT for term in terms)
    assert len(query.words) == len(query.marked)
    assert len(query.shown) <= QUERY_LIMIT
    assert read_query(query.shown).terms == query.terms
    for token in tokens(typed):
        assert len(token.plain) == len(token.marked)
        assert all(token.all)


def test_only_the_last_word_and_identifiers_find_what_begins_with_them() -> None:
    query = read_query("peak torch.utils mem")
    assert [(term.text, term.is_prefix) for term in query.terms] == [
        ("peak", False),
        ("torch.utils", True),
        ("mem", True),
    ]
    assert not read_query("√N").terms[-1].is_prefix  # one letter begins half of all words


def test_plain_text_keeps_code_and_formulas_and_drops_demos_and_numbers() -> None:
    text = (
        "Use `use_reentrant` at [the docs](https://example.org/x), **now**: "
        "$k = \\sqrt{N} \\cdot \\frac{a}{b}$.\n\n"
        "### Deeper {#deeper}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "```demo\nid: trade\n```\n\n```python\nx = torch.ones(2)\n```\n\n"
        "It kept {{trade:segments.peak_bytes}}."
    )
    assert plain_text(text) == (
        "Use use_reentrant at the docs, now: k = √N · a/b. Deeper a b 1 2 x = torch.ones(2) It kept …."
    )


def test_typed_marks_come_before_titles_phrases_and_frequency() -> None:
    query = wanted(read_query("bộ nhớ"))

    def relevance(title: str, text: str) -> tuple[int, float]:
        plain, marked = (
            f" {' '.join(w for t in tokens(title) for w in getattr(t, kind))} | "
            f"{' '.join(w for t in tokens(text) for w in getattr(t, kind))} "
            for kind in ("plain", "marked")
        )
        return rank("guide", plain, marked, query)

    order = [
        relevance("Lượt xuôi", "đo bộ nhớ một lần"),
        relevance("Lượt xuôi", "nhớ đo cả bộ"),
        relevance("Bỏ nhỏ", "bỏ nhỏ bỏ nhỏ"),
        relevance("Bỏ", "nhỏ"),
    ]
    assert order == sorted(order, reverse=True)
    assert [each[0] for each in order] == [2, 1, 0, 0]


def test_a_snippet_shows_what_was_found_and_marks_that_alone() -> None:
    text = " ".join(f"word{n}" for n in range(100)) + " the Bộ nhớ đỉnh here. " + "tail " * 50
    found = pieces(text, read_query("bo nho dinh"), is_exact=False)
    assert [piece.text for piece in found if piece.is_match] == ["Bộ", "nhớ", "đỉnh"]
    shown = "".join(piece.text for piece in found)
    assert shown.startswith("… word")
    assert shown.endswith(" …")
    assert len(words(shown)) == SNIPPET_WORDS
    whole = pieces("a <b> & c", read_query("b"), is_exact=False, whole=True)
    assert [tuple(piece) for piece in whole] == [("a <", False), ("b", True), ("> & c", False)]
