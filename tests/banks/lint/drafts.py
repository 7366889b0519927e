"""Small drafts for the lint's tests, in one language or three."""

from collections.abc import Iterable, Mapping

import yaml

from app.banks.lint import Finding, Glossary, ItemDraft, ItemText, OptionText, lint_item
from app.banks.lint.glossary import parse_glossary
from app.core.settings import ROOT
from app.i18n.locales import Locale

EN, HI, VI = Locale.EN, Locale.HI, Locale.VI
OWN: Glossary = parse_glossary(
    yaml.safe_load((ROOT / "quizzes" / "glossary.yaml").read_text(encoding="utf-8"))
)
# Options that break nothing, for tests that look at one of them.
PLAIN = {
    EN: ("the red one", "the blue one", "the green one"),
    HI: ("लाल वाला", "नीला वाला", "हरा वाला"),
    VI: ("cái màu đỏ", "cái màu lam", "cái màu lục"),
}
STEM = {EN: "Pick one.", HI: "एक चुनिए।", VI: "Hãy chọn một."}


def one_language(
    locale: Locale, options: Iterable[str] | None = None, *, stem: str | None = None, key: int = 0
) -> ItemDraft:
    """A question in one language; the right option is the first unless `key` says another."""
    texts = PLAIN[locale] if options is None else options
    own = tuple(OptionText(str(number), text) for number, text in enumerate(texts))
    return ItemDraft(frozenset({str(key)}), {locale: ItemText(stem or STEM[locale], own)})


def explained(texts: Mapping[Locale, str], metrics: Iterable[str] | None = ()) -> ItemDraft:
    """A question whose explanation is the text under test, beside plain options."""
    return ItemDraft(
        frozenset({"0"}),
        {
            locale: ItemText(
                STEM[locale],
                tuple(OptionText(str(number), each) for number, each in enumerate(PLAIN[locale])),
                text,
            )
            for locale, text in texts.items()
        },
        None if metrics is None else frozenset(metrics),
    )


def rules_of(draft: ItemDraft, glossary: Glossary = OWN) -> set[str]:
    """The ids of the rules that a draft breaks, infos too."""
    return {finding.rule.id for finding in lint_item(draft, glossary)}


def findings_of(draft: ItemDraft, rule: str) -> list[Finding]:
    """What one rule finds."""
    return [finding for finding in lint_item(draft, OWN) if finding.rule.id == rule]
