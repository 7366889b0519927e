"""The two pages that the quizzes grew from, as they stand: their real faults are found, and no others.

The tables were written by reading the pages; they are not what the lint happened to say.
"""

import pytest

from app.banks.lint import Finding, QuizDraft, lint_item, lint_quiz
from tests.banks.lint.drafts import OWN
from tests.support.seeds import FOLDER, HINDI, VIETNAMESE, read_seed

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"the pages are not in {FOLDER.parent.name}/seeds"
)

# Of each question the faults of its stem (0) and of its options (1 to 4); some are whole in English still.
WHOLE = (0, 1, 2, 3, 4)
HINDI_FAULTS = {
    1: {
        0: ["term-banned", "term-banned"],  # स्मृति for memory, व्यापार for a trade-off
        1: [
            "key-longest",
            "only-key-punctuated",
            "only-key-qualified",
        ],  # a full stop and an aside of its own
    },
    2: {
        0: ["term-banned"],  # सक्रियण
        2: ["key-longest", "term-banned"],  # बैकप्रॉपैगेशन
        4: ["absolute-in-distractors"],  # कभी … नहीं
    },
    3: {
        2: ["absolute-in-distractors"],  # guarantees … for every model
        3: ["only-key-qualified", "stem-word-in-key"],  # can; checkpoint
    },
    4: {
        1: ["absolute-in-distractors"],  # Only
        2: ["absolute-in-distractors"],  # every
        4: ["key-longest", "only-key-qualified"],  # a list
    },
    5: {number: ["identifier-transliterated"] for number in (1, 2, 3, 4)},
    6: {
        1: ["absolute-in-distractors"],  # entirely
        2: ["key-longest"],
        3: ["absolute-in-distractors"],  # permanently
        4: ["absolute-in-distractors"],  # only
    },
    7: {1: ["absolute-in-distractors"], 3: ["key-longest", "only-key-qualified"]},
    8: {4: ["key-longest", "only-key-qualified"]},  # which … and which …
}
HINDI_IN_ENGLISH = {3, 4, 6, 7, 8}
VIETNAMESE_FAULTS = {
    1: {
        2: ["stem-word-in-key"],  # tính toán
        4: ["term-banned"],  # Độ chính xác về số
    },
    2: {
        0: ["term-banned", "term-banned"],  # các kích hoạt; chuyển tiếp for forward
        4: ["key-longest", "term-banned"],  # độ dốc for gradient
    },
    3: {
        1: ["key-longest", "only-key-qualified"],
        2: ["absolute-in-distractors"],  # always … exactly
        3: ["absolute-in-distractors"],  # guarantees
        4: ["absolute-in-distractors"],  # all
    },
    4: {
        1: ["absolute-in-distractors"],  # all
        2: ["absolute-in-distractors"],  # all … regardless
        3: ["stem-word-in-key"],  # activation storage
    },
    5: {4: ["key-longest"]},  # its absolute words tell nothing: the key has one as well
    6: {
        2: ["term-banned", "term-banned"],  # Giảm tải; kích hoạt
        3: ["absolute-in-distractors"],  # tất cả
    },
    7: {3: ["key-longest"]},
    8: {1: ["stem-word-in-key"], 2: ["absolute-in-distractors"]},  # activation; every
}
VIETNAMESE_IN_ENGLISH = {3, 4, 7, 8}


def part_of(finding: Finding) -> int:
    return int(finding.place[1]) + 1 if finding.place[0] == "options" else 0


def faults_of(page: QuizDraft) -> dict[int, dict[int, list[str]]]:
    found: dict[int, dict[int, list[str]]] = {}
    for number, item in enumerate(page.items, 1):
        parts = found.setdefault(number, {})
        for finding in lint_item(item, OWN):
            if finding.rule.id != "untranslated":
                parts.setdefault(part_of(finding), []).append(finding.rule.id)
        found[number] = {part: sorted(rules) for part, rules in sorted(parts.items())}
    return found


def in_english(page: QuizDraft) -> dict[int, tuple[int, ...]]:
    """The parts still in English, of each question that has some."""
    found = {
        number: tuple(
            sorted(part_of(each) for each in lint_item(item, OWN) if each.rule.id == "untranslated")
        )
        for number, item in enumerate(page.items, 1)
    }
    return {number: parts for number, parts in found.items() if parts}


def test_the_hindi_page_has_its_real_faults_and_no_others() -> None:
    page = read_seed(HINDI)
    assert faults_of(page) == HINDI_FAULTS
    assert in_english(page) == dict.fromkeys(HINDI_IN_ENGLISH, WHOLE)
    whole = {(finding.rule.id, finding.place) for finding in lint_quiz(page, OWN)}
    assert whole == {
        ("term-banned", ("title",)),  # ग्रेडियंट, which the page itself spells otherwise further down
        ("keys-in-pattern", ("items",)),
        ("keys-often-longest", ("items",)),
    }


def test_the_vietnamese_page_has_its_real_faults_and_no_others() -> None:
    page = read_seed(VIETNAMESE)
    assert faults_of(page) == VIETNAMESE_FAULTS
    assert in_english(page) == dict.fromkeys(VIETNAMESE_IN_ENGLISH, WHOLE)
    whole = {(finding.rule.id, finding.place) for finding in lint_quiz(page, OWN)}
    assert whole == {("keys-often-longest", ("items",))}
