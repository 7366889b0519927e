"""The lint on quizzes in their folders: drafts from forms, and a file and line for each finding."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from app.banks.forms import ItemForm, QuizForm
from app.banks.guides import guide_faults, list_blocks
from app.banks.lint import (
    Finding,
    Glossary,
    GuideDraft,
    ItemDraft,
    ItemText,
    OptionText,
    QuizDraft,
    lint_guide,
    lint_item,
    lint_quiz,
)
from app.banks.lint.glossary import parse_glossary
from app.banks.source import Fault, Place, QuizSource, SourceFaultsError, dotted, line_of
from app.core.document import read_document
from app.core.marking import N_
from app.demos.catalog import find_demo
from app.i18n.locales import Locale

GLOSSARY = "glossary.yaml"  # beside the quizzes' folders


@dataclass(frozen=True, slots=True)
class Found:
    """A finding with the file, line and field where it stands."""

    file: str
    line: int
    field: str
    finding: Finding

    def fault(self) -> Fault:
        """The same as a fault of the loader."""
        return Fault(self.file, self.line, self.field, self.finding.rule.why, self.finding.values)


def lint_source(source: QuizSource, glossary: Glossary) -> list[Found]:
    """What the questions of a quiz break, and its own texts."""
    form = source.form
    drafts = [item_draft(form, item) for item in form.items]
    quiz = QuizDraft({(place,): _in_all(form, getattr(form, place)) for place in _OWN_TEXTS}, tuple(drafts))
    found = [_found(source, (), finding) for finding in lint_quiz(quiz, glossary)]
    for number, draft in enumerate(drafts):
        found += [_found(source, ("items", number), finding) for finding in lint_item(draft, glossary)]
    return found


def lint_guides(source: QuizSource, glossary: Glossary) -> list[Found]:
    """What the guide beside a quiz breaks; empty where there is none."""
    files = guide_files(source)
    texts = {locale: path.read_text(encoding="utf-8-sig") for locale, path in files.items()}
    findings = lint_guide(GuideDraft(texts, _demo_metrics(texts.values())), glossary)
    return [
        Found(str(files[finding.locale]), finding.line or 1, dotted(finding.place), finding)
        for finding in findings
        if finding.locale is not None
    ]


def check_guides(source: QuizSource) -> list[Fault]:
    """What the guide's page could not show, in any language, and questions that name a section it lacks."""
    faults = [
        fault
        for path in guide_files(source).values()
        for fault in guide_faults(str(path), path.read_text(encoding="utf-8-sig"))
    ]
    anchors = {anchor for text in source.guide.values() for anchor in read_document(text.body).anchors}
    for number, item in enumerate(source.form.items):
        if item.read is not None and item.read not in anchors:
            message = N_("The guide has no section {anchor}.")
            faults.append(source.fault(("items", number, "read"), message, anchor=item.read))
    return faults


def guide_files(source: QuizSource) -> dict[Locale, Path]:
    """The guide's file in each language of a quiz; empty where it has no guide."""
    if source.form.guide is None:
        return {}
    folder = Path(source.file).parent
    return {locale: folder / f"{source.form.guide}.{locale}.md" for locale in source.form.locales}


def read_glossary(folder: Path) -> Glossary:
    """The glossary of a folder of quizzes; an empty one where it has none. Raises SourceFaultsError."""
    path = folder / GLOSSARY
    if not path.exists():
        return Glossary()
    try:
        return parse_glossary(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (
        OSError,
        UnicodeDecodeError,
        yaml.YAMLError,
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
    ) as error:
        message = N_("This is no glossary: {problem}.")
        values = {"problem": f"{type(error).__name__}: {error}"}
        raise SourceFaultsError([Fault(str(path), 1, "", message, values)]) from error


_OWN_TEXTS = ("title", "description")


def item_draft(form: QuizForm, item: ItemForm) -> ItemDraft:
    """A question of a file as the lint reads it; a text that is missing is an empty one."""
    demo = find_demo(item.evidence.demo) if item.evidence else None
    texts = {
        locale: ItemText(
            stem=item.stem.get(locale, ""),
            options=tuple(
                OptionText(option.id, option.text.get(locale, ""), option.feedback.get(locale, ""))
                for option in item.options
            ),
            explanation=item.explanation.get(locale, ""),
        )
        for locale in form.locales
    }
    metrics = frozenset(metric.id for metric in demo.metrics) if demo else None
    return ItemDraft(frozenset({item.key}), texts, metrics)


def _in_all(form: QuizForm, texts: Mapping[Locale, str]) -> dict[Locale, str]:
    return {locale: texts.get(locale, "") for locale in form.locales}


def _found(source: QuizSource, base: Place, finding: Finding) -> Found:
    place = (*base, *finding.place, *((finding.locale.value,) if finding.locale else ()))
    return Found(source.file, line_of(source.lines, place), dotted(place), finding)


def _demo_metrics(texts: Collection[str]) -> dict[str, frozenset[str]]:
    """What each demo block of a guide measures, by the block's name."""
    blocks = (block for text in texts for block in list_blocks(text))
    return {block.name: frozenset(metric.id for metric in block.demo.metrics) for block in blocks}
