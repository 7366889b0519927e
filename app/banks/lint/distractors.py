"""Wrong options that nobody takes, once enough learners have chosen."""

from collections.abc import Iterator

from app.banks.lint import rules
from app.banks.lint.chances import at_most
from app.banks.lint.drafts import ItemDraft
from app.banks.lint.findings import Finding

FUNCTIONING = 0.05  # the share that a distractor must draw to do anything
CONFIDENCE = 0.95
LEAST_LEARNERS = 59  # 0.95 ** 59 < 0.05: with fewer, not even «never chosen» says anything


def lint_choices(draft: ItemDraft) -> Iterator[Finding]:
    """A distractor that fewer than one learner in twenty would choose.

    Haladyna & Downing (1993) call a distractor functioning when at least 5 % choose it, and found few items
    with three of them; Rodriguez (2005), Three options are optimal for multiple-choice items, Educational
    Measurement: Issues and Practice 24(2), a meta-analysis of 80 years of research, came to the same. One is
    reported when its share is below 5 % with a confidence of 95 % (exact binomial): never under 59 answers.
    """
    learners = sum(draft.chosen.values())
    if learners < LEAST_LEARNERS:
        return
    item = draft.source or next(iter(draft.texts.values()), None)
    for number, option in enumerate(item.options if item else ()):
        count = draft.chosen.get(option.id, 0)
        if option.id not in draft.keys and at_most(count, learners, FUNCTIONING) < 1 - CONFIDENCE:
            values = {"n": learners, "count": count}
            yield Finding(rules.IMPLAUSIBLE, ("options", number, "text"), None, values)
