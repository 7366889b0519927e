"""The form of `quizzes/<slug>/quiz.yaml`: what its JSON Schema is made from, and what the loader accepts."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from app.demos.claims import Claim, parse_claim
from app.i18n.locales import Locale

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
Line = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=r"\S")]
Prose = Annotated[str, StringConstraints(min_length=1, max_length=8000, pattern=r"\S")]
PLACEHOLDER = re.compile(r"\{\{\s*([a-z0-9_.]+)\s*\}\}")


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Expectation(_Form):
    """What a measurement must show: a metric against a value, or against a multiple of another metric."""

    metric: str
    relation: Literal["==", "!=", "<", "<=", ">", ">="] = Field(alias="is")
    value: bool | int | float | None = None
    of: str | None = None
    times: float = 1.0

    @model_validator(mode="after")
    def _is_a_claim(self) -> Self:
        self.claim()
        return self

    def claim(self) -> Claim:
        """What the lab evaluates. Raises ClaimError."""
        return parse_claim(self.model_dump(by_alias=True, exclude_none=True))


class EvidenceForm(_Form):
    """The demo that bears on an item, its parameters, and what it must show."""

    demo: Slug
    params: dict[str, int | str] = Field(default_factory=dict)
    expect: list[Expectation] = Field(min_length=1)


class RefutationForm(_Form):
    """What a measurement shows that a wrong option denies; without `demo`, of the item's own demo."""

    demo: Slug | None = None
    params: dict[str, int | str] = Field(default_factory=dict)
    expect: list[Expectation] = Field(min_length=1)


class OptionForm(_Form):
    """One option: its text, and what a learner who chose it is told."""

    id: Slug
    refuted_by: RefutationForm | None = None
    text: dict[Locale, Prose]
    feedback: dict[Locale, Prose]


class ItemForm(_Form):
    """One question in every language."""

    id: Slug
    type: Literal["single_choice"]
    key: Slug
    read: Slug | None = None  # the section of the guide to read after a wrong answer
    evidence: EvidenceForm | None = None
    stem: dict[Locale, Prose]
    options: list[OptionForm] = Field(min_length=2, max_length=12)
    explanation: dict[Locale, Prose]

    def refutation(self, option: OptionForm) -> EvidenceForm | None:
        """What refutes an option, with its demo and parameters named; None where nothing measures it."""
        own = option.refuted_by
        if own is None or (own.demo is None and self.evidence is None):
            return None
        if own.demo is None and self.evidence is not None:
            return EvidenceForm(demo=self.evidence.demo, params=self.evidence.params, expect=own.expect)
        return EvidenceForm(demo=own.demo or "", params=own.params, expect=own.expect)

    def texts(self) -> Iterator[tuple[tuple[str | int, ...], dict[Locale, str]]]:
        """Every text with the place where it stands, for checks that hold in every language."""
        yield ("stem",), self.stem
        for number, option in enumerate(self.options):
            yield ("options", number, "text"), option.text
            yield ("options", number, "feedback"), option.feedback
        yield ("explanation",), self.explanation


class QuizForm(_Form):
    """A quiz with its items: one file, one bank."""

    format: Literal[1]
    slug: Slug
    level: Literal["beginner", "intermediate", "advanced"]
    locales: list[Locale] = Field(min_length=1)
    title: dict[Locale, Line]
    description: dict[Locale, Prose]
    guide: Slug | None = None
    items: list[ItemForm] = Field(min_length=1, max_length=500)


def placeholders(text: str) -> Counter[str]:
    """The metrics that a text places, each with how often."""
    return Counter(PLACEHOLDER.findall(text))
