"""What a lint reads: texts as an author has them at hand, saved or not, from whatever format."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from app.banks.lint.findings import Place
from app.i18n.locales import SOURCE_LOCALE, Locale


@dataclass(frozen=True, slots=True)
class OptionText:
    """One option in one language; its id is the same in every language."""

    id: str
    text: str
    feedback: str | None = None


@dataclass(frozen=True, slots=True)
class ItemText:
    """One question in one language, options in the order in which its author has them.

    None is a text that the question does not have at all; empty is one that is still to be written.
    """

    stem: str
    options: tuple[OptionText, ...]
    explanation: str | None = None

    def texts(self) -> Iterator[tuple[Place, str]]:
        """Every text with its place."""
        yield ("stem",), self.stem
        for number, option in enumerate(self.options):
            yield ("options", number, "text"), option.text
            if option.feedback is not None:
                yield ("options", number, "feedback"), option.feedback
        if self.explanation is not None:
            yield ("explanation",), self.explanation


@dataclass(frozen=True, slots=True)
class ItemDraft:
    """A question in every language that it has so far.

    `metrics` is what its demo measures, None where it names no demo; `chosen` how often learners chose each
    option, empty while nobody has.
    """

    keys: frozenset[str]
    texts: Mapping[Locale, ItemText]
    metrics: Collection[str] | None = None
    chosen: Mapping[str, int] = field(default_factory=dict)

    @property
    def source(self) -> ItemText | None:
        """The text that the others are translations of."""
        return self.texts.get(SOURCE_LOCALE)

    def translations(self) -> Iterator[tuple[Locale, ItemText]]:
        """Each other language with its text."""
        return ((locale, text) for locale, text in self.texts.items() if locale is not SOURCE_LOCALE)


@dataclass(frozen=True, slots=True)
class QuizDraft:
    """What is seen only across a quiz: its own texts, and the items in order."""

    texts: Mapping[Place, Mapping[Locale, str]]
    items: tuple[ItemDraft, ...]


@dataclass(frozen=True, slots=True)
class GuideDraft:
    """A guide as Markdown in every language that it has; `metrics` of each demo block by the block's name.

    None for `metrics` leaves unknown placeholders to others.
    """

    texts: Mapping[Locale, str]
    metrics: Mapping[str, Collection[str]] | None = None
