"""What the keys of a quiz tell as a whole."""

from collections import Counter
from collections.abc import Iterator, Sequence

from app.banks.lint import rules
from app.banks.lint.chances import at_least
from app.banks.lint.drafts import ItemDraft
from app.banks.lint.findings import Finding
from app.banks.lint.tokens import has_words, tokenize
from app.banks.lint.writing import visible_length
from app.i18n.locales import Locale

UNLIKELY = 0.01  # a chance below which the places of keys are no accident
LONGEST_UNLIKELY = 0.05
PERIOD_MATCHES = 4  # keys that must follow a period: among four options chance makes one such in 256


def lint_keys(items: Sequence[ItemDraft]) -> Iterator[Finding]:
    """Where the keys stand, and whether they are the longest; of questions with one right option."""
    single = [item for item in items if len(item.keys) == 1 and item.texts]
    yield from _places(single)
    for locale in dict.fromkeys(locale for item in single for locale in item.texts):
        yield from _lengths([item for item in single if locale in item.texts], locale)


def _places(items: Sequence[ItemDraft]) -> Iterator[Finding]:
    """Haladyna, Downing & Rodriguez (2002): vary the place of the right option.

    Attali & Bar-Hillel (2003): writers and takers of tests both lean to the middle places. Options are
    shuffled on the page, but a quiz is also printed and exported as it stands, and a pattern there tells.
    """
    places = [place for item in items if (place := _place(item)) is not None]
    period = find_period(places)
    if period:
        shown = ", ".join(str(place + 1) for place in places)
        yield Finding(rules.PATTERN, ("items",), None, {"found": shown})
        return
    counts = Counter(places)
    options = max((len(next(iter(item.texts.values())).options) for item in items), default=0)
    for place, count in counts.items():
        if options > 1 and at_least(count, len(places), 1 / options) < UNLIKELY:
            values = {"items": len(places), "count": count, "found": place + 1}
            yield Finding(rules.ONE_PLACE, ("items",), None, values)


def find_period(places: Sequence[int]) -> int | None:
    """After how many keys their places repeat, or None: 1, 2, 3, 4, 1, 2, 3, 4 has 4."""
    for period in range(1, len(places) - PERIOD_MATCHES + 1):
        if all(places[at] == places[at - period] for at in range(period, len(places))):
            return period
    return None


def _lengths(items: Sequence[ItemDraft], locale: Locale) -> Iterator[Finding]:
    """Haladyna, Downing & Rodriguez (2002): options of about equal length, over a whole quiz.

    No single key need be much longer: where it is the longest more often than by chance, length tells.
    """
    is_longest, options = [], 0
    for item in items:
        own = item.texts[locale].options
        if not any(has_words(tokenize(option.text).prose) for option in own):
            continue  # how long a name of code is, its author did not choose
        lengths = {option.id: visible_length(option.text) for option in own}
        [key] = item.keys
        if key in lengths:
            others = [length for each, length in lengths.items() if each != key]
            is_longest.append(lengths[key] > max(others, default=0))
            options = max(options, len(lengths))
    count = sum(is_longest)
    if options > 1 and at_least(count, len(is_longest), 1 / options) < LONGEST_UNLIKELY:
        yield Finding(rules.OFTEN_LONGEST, ("items",), locale, {"items": len(is_longest), "count": count})


def _place(item: ItemDraft) -> int | None:
    ids = [option.id for option in next(iter(item.texts.values())).options]
    [key] = item.keys
    return ids.index(key) if key in ids else None
