"""What the keys of a quiz tell as a whole, and what learners' choices tell of an option."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.banks.lint import ItemDraft, ItemText, OptionText, QuizDraft, lint_item, lint_quiz
from app.banks.lint.chances import at_least, at_most
from app.banks.lint.distractors import LEAST_LEARNERS
from app.banks.lint.patterns import find_period
from tests.banks.lint.drafts import EN, OWN

TEXTS = ("the red one", "the blue one", "the pink one", "the grey one")


def item(key: int, texts: tuple[str, ...] = TEXTS, chosen: dict[str, int] | None = None) -> ItemDraft:
    options = tuple(OptionText(str(number), text) for number, text in enumerate(texts))
    return ItemDraft(frozenset({str(key)}), {EN: ItemText("Pick one.", options)}, chosen=chosen or {})


def rules_of_keys(keys: list[int]) -> set[str]:
    return {finding.rule.id for finding in lint_quiz(QuizDraft({}, tuple(map(item, keys))), OWN)}


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ([0, 1, 2, 3, 0, 1, 2, 3], {"keys-in-pattern"}),  # the Hindi page
        ([1, 3, 0, 2, 3, 1, 2, 0], set()),  # the Vietnamese page
        ([0, 1, 0, 1, 0, 1], {"keys-in-pattern"}),
        ([2, 2, 2, 2, 2], {"keys-in-pattern"}),
        ([0, 2, 2, 2, 2, 2, 2, 3, 2], {"keys-in-one-place"}),
        ([0, 1, 2, 3], set()),  # too few to tell
        ([], set()),
    ],
)
def test_keys_in_a_pattern_are_found(keys: list[int], found: set[str]) -> None:
    assert rules_of_keys(keys) == found


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.integers(2, 5))
def test_whatever_is_repeated_has_a_period(keys: list[int], times: int) -> None:
    repeated = keys * times
    period = find_period(repeated)
    assert (period is not None) == (len(repeated) - (period or len(keys)) >= 4)  # four keys must follow it


def test_keys_that_are_the_longest_too_often_are_found() -> None:
    long = ("the red one", "the blue one here", "the pink one", "the grey one")

    def rules(longest: int) -> set[str]:
        keys = [1] * longest + [0, 2, 3, 0, 2][: 8 - longest]
        items = tuple(item(key, long) for key in keys)
        return {finding.rule.id for finding in lint_quiz(QuizDraft({}, items), OWN)}

    assert "keys-often-longest" not in rules(4)
    assert "keys-often-longest" in rules(5)


@pytest.mark.parametrize(
    ("counts", "implausible"),
    [
        ({}, set()),
        ({"0": 40, "1": 10, "2": 8}, set()),  # 58: one too few for any word on it
        ({"0": 40, "1": 10, "2": 9}, {3}),
        ({"0": 40, "1": 10, "2": 8, "3": 1}, set()),
        ({"0": 900, "1": 60, "2": 35, "3": 5}, {2, 3}),
        ({"0": 90_000, "1": 6_000, "2": 3_999, "3": 1}, {2, 3}),
        ({"1": 500, "2": 500, "3": 500}, set()),  # a key that nobody chose is another matter
    ],
)
def test_an_option_that_nobody_takes_is_found_once_enough_have_chosen(
    counts: dict[str, int], implausible: set[int]
) -> None:
    findings = [
        each for each in lint_item(item(0, chosen=counts), OWN) if each.rule.id == "distractor-implausible"
    ]
    assert {finding.place[1] for finding in findings} == implausible


def test_the_least_number_of_learners_is_where_never_chosen_begins_to_tell() -> None:
    assert at_most(0, LEAST_LEARNERS, 0.05) < 0.05 < at_most(0, LEAST_LEARNERS - 1, 0.05)


@given(st.integers(1, 400), st.data())
def test_the_two_tails_are_one(trials: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, trials))
    chance = data.draw(st.floats(0.01, 0.99))
    assert at_least(count, trials, chance) + at_most(count - 1, trials, chance) == pytest.approx(1)
