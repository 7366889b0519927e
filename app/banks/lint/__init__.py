"""What is wrong in a question or a guide, found while it is written: translation and item writing.

Pure and quick, one item at a time: `lint_item(draft, glossary)` for the loader, the command line, tests and
an editor alike. What it is given (`drafts`) knows nothing of YAML; what it returns (`findings`) says which
rule, in which text and language, why it matters and how to mend it.
"""

from app.banks.lint.drafts import GuideDraft, ItemDraft, ItemText, OptionText, QuizDraft
from app.banks.lint.findings import Finding, Rule, Severity
from app.banks.lint.glossary import Glossary
from app.banks.lint.guides import lint_guide
from app.banks.lint.items import lint_item, lint_quiz

__all__ = [
    "Finding",
    "Glossary",
    "GuideDraft",
    "ItemDraft",
    "ItemText",
    "OptionText",
    "QuizDraft",
    "Rule",
    "Severity",
    "lint_guide",
    "lint_item",
    "lint_quiz",
]
