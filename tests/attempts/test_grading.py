import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.attempts.grading import grade


@given(st.lists(st.text(min_size=1), min_size=2, max_size=8, unique=True), st.data())
def test_only_the_key_scores(options: list[str], data: st.DataObject) -> None:
    key, chosen = data.draw(st.sampled_from(options)), data.draw(st.sampled_from(options))
    assert grade("single_choice", [key], [chosen]) == (1.0 if chosen == key else 0.0)


@pytest.mark.parametrize("chosen", [[], ["a", "b"]])
def test_a_single_choice_is_one_option(chosen: list[str]) -> None:
    with pytest.raises(ValueError, match="one option"):
        grade("single_choice", ["a"], chosen)


def test_a_type_without_a_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="essay"):
        grade("essay", ["a"], ["a"])
