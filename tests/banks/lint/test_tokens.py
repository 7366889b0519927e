"""A text is taken apart the same way whatever surrounds it, and never in vain."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.banks.lint import GuideDraft, ItemDraft, ItemText, OptionText, lint_guide, lint_item
from app.banks.lint.markup import unbalanced
from app.banks.lint.tokens import tokenize
from app.banks.lint.translation import compare_tokens
from tests.banks.lint.drafts import EN, HI, OWN, VI


@pytest.mark.parametrize(
    ("text", "kind", "tokens"),
    [
        ("`a b` and ``c`d``", "code", ("a b", "c`d")),
        ("x\n\n```python\nx = `1`\n```\n\ny", "code", ("```python\nx = `1`\n```",)),
        ("it costs $5 and $6", "math", ()),
        ("$a_1$ and $$\nb\n$$", "math", ("$a_1$", "$$\nb\n$$")),
        ("{{ a.b }} {{trade:c.d}}", "placeholders", ("a.b", "trade:c.d")),
        ("[x](https://a.org/b_(c)) https://d.org.", "urls", ("https://a.org/b_(c)", "https://d.org")),
        ("torch.utils.checkpoint, use_reentrant", "names", ("torch.utils.checkpoint", "use_reentrant")),
        ("GPUs, FLOPs, bf16, PyTorch, e.g. NOT", "names", ("GPU", "FLOP", "bf16", "PyTorch")),
        ("step() and --strict", "names", ("step()", "--strict")),
        ("16, 2.13 and 4/3, \u22125", "numbers", ("16", "2.13", "4/3", "\u22125")),
        ("20–30%, 16 GiB, 3.4×", "quantities", ("20–30%", "16 GiB", "3.4×")),
        ("√N of N layers, O(log N)", "symbols", ("√N", "N", "O(log N)")),
        ("१६ और १.५", "digits", ("१६", "१.५")),
        ("A sentence. I wrote it", "symbols", ()),
    ],
)
def test_tokens_are_found_in_order(text: str, kind: str, tokens: tuple[str, ...]) -> None:
    assert getattr(tokenize(text), kind) == tokens


ALPHABET = st.sampled_from([*"ab N1.,*_`$[](){}<>\\\n", "क", "ी", "\u200d", "\u202e", "ộ", "√", "–", "%"])
TEXTS = st.text(ALPHABET, max_size=60) | st.text(max_size=60)


@given(TEXTS)
def test_a_text_beside_itself_has_no_difference(text: str) -> None:
    assert list(compare_tokens(tokenize(text), tokenize(text), (), VI)) == []


@given(TEXTS, TEXTS, TEXTS)
def test_any_texts_are_linted_and_every_finding_has_its_words(
    source: str, hindi: str, vietnamese: str
) -> None:
    texts = {
        locale: ItemText(text, (OptionText("a", text, text), OptionText("b", f"{text}x")), text)
        for locale, text in ((EN, source), (HI, hindi), (VI, vietnamese))
    }
    for finding in lint_item(ItemDraft(frozenset("a"), texts, {"m"}), OWN):
        assert finding.why(str)
        assert finding.how(str)
    for finding in lint_guide(GuideDraft({EN: source, VI: vietnamese}, {}), OWN):
        assert finding.why(str)


@given(st.text(st.characters(exclude_characters="`*_[]~${}\\", exclude_categories=("Cs",)), max_size=40))
def test_text_without_marks_is_balanced_and_stays_so_in_marks(text: str) -> None:
    assert unbalanced(text) is None
    words = " ".join(text.split())
    if words and words.isalnum():
        assert unbalanced(f"**{words}** and `{words}`, _{words}_") is None
        assert unbalanced(f"**{words} and `{words}`") is not None


@given(st.lists(st.sampled_from("0123456789"), min_size=1, max_size=6).map("".join))
def test_a_number_in_devanagari_digits_is_the_number(number: str) -> None:
    native = "".join(chr(ord("\u0966") + int(each)) for each in number)
    tokens = tokenize(f"कुल {native} हैं")
    assert tokens.numbers == (number,)
    assert tokens.digits == (native,)
    assert unicodedata.is_normalized("NFC", native)
