"""Grading by option id, never by text. Pure: no session, no request, no locale."""

from collections.abc import Collection


def grade(item_type: str, key: Collection[str], chosen: Collection[str]) -> float:
    """The score of a response, from 0 to 1.

    A single choice is 1 where the one chosen option is the key, else 0. Raises ValueError for a type that has
    no rule, or for a single choice that is not one option.
    """
    if item_type != "single_choice":
        raise ValueError(f"no grading rule for {item_type}")
    if len(chosen) != 1:
        raise ValueError("a single choice is one option")
    return 1.0 if set(chosen) == set(key) else 0.0
