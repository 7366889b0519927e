"""What a lint says: a rule that was broken, and where."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.i18n.locales import Locale

Place = tuple[str | int, ...]


class Severity(StrEnum):
    """An error keeps a text from being published, a warning asks for a look, an info only says."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule; `why` and `how` are msgids, filled from the finding's values. `source` is what it rests on."""

    id: str
    severity: Severity
    why: str
    how: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that a text breaks: in which language, at which place, with what fills the rule's sentences.

    `place` is the path of a text in its draft, as in quiz.yaml: `("options", 2, "text")`; of the whole draft
    it is empty. `line` counts from 1 in a text of many lines.
    """

    rule: Rule
    place: Place
    locale: Locale | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    line: int | None = None

    def why(self, gettext: Callable[[str], str]) -> str:
        """What is wrong, in a reader's language, with the rule's source after it."""
        words = gettext(self.rule.why).format(**self.values)
        return f"{words} ({self.rule.source})" if self.rule.source else words

    def how(self, gettext: Callable[[str], str]) -> str:
        """How to mend it, in a reader's language."""
        return gettext(self.rule.how).format(**self.values)

    @property
    def is_error(self) -> bool:
        """Whether it keeps the text from being published."""
        return self.rule.severity is Severity.ERROR
