"""Checks that a form alone cannot make: across languages, and against what the demos declare. Pure."""

from collections.abc import Iterable, Iterator, Mapping

from app.banks.forms import EvidenceForm, ItemForm, QuizForm
from app.banks.lint import Glossary
from app.banks.linting import lint_source
from app.banks.source import Fault, Place, QuizSource
from app.core.marking import N_
from app.demos.catalog import find_demo
from app.demos.spec import ParamError
from app.i18n.locales import SOURCE_LOCALE


def check(source: QuizSource, glossary: Glossary | None = None) -> list[Fault]:
    """Every fault of a quiz whose form is right, the lint's errors among them; empty when it may load."""
    form = source.form
    faults = [source.fault(place, message, **values) for place, message, values in _quiz_faults(form)]
    for number, item in enumerate(form.items):
        base: Place = ("items", number)
        found = [*_key_faults(item), *_evidence_faults(item)]
        faults += [source.fault((*base, *place), message, **values) for place, message, values in found]
    found_by_lint = lint_source(source, glossary or Glossary())
    faults += [each.fault() for each in found_by_lint if each.finding.is_error]
    return sorted(faults, key=lambda fault: fault.line)


_Found = tuple[Place, str, Mapping[str, object]]


def _quiz_faults(form: QuizForm) -> Iterator[_Found]:
    if SOURCE_LOCALE not in form.locales:
        yield ("locales",), N_("The source language, {locale}, is missing."), {"locale": SOURCE_LOCALE}
    for number in _repeated(item.id for item in form.items):
        yield ("items", number, "id"), N_("This id stands twice: {id}."), {"id": form.items[number].id}


def _key_faults(item: ItemForm) -> Iterator[_Found]:
    ids = [option.id for option in item.options]
    if item.key not in ids:
        yield ("key",), N_("The key {key} is not the id of an option."), {"key": item.key}
    for number in _repeated(ids):
        yield ("options", number, "id"), N_("This id stands twice: {id}."), {"id": ids[number]}


def _evidence_faults(item: ItemForm) -> Iterator[_Found]:
    if item.evidence is not None:
        yield from (
            (("evidence", *place), message, values) for place, message, values in _faults_of(item.evidence)
        )
    for number, option in enumerate(item.options):
        at: Place = ("options", number, "refuted_by")
        evidence = item.refutation(option)
        if option.refuted_by is not None and option.id == item.key:
            yield at, N_("The key cannot be refuted: what supports it stands under `evidence`."), {}
        elif option.refuted_by is not None and evidence is None:
            yield at, N_("Name the demo: the item has none of its own."), {}
        elif evidence is not None:
            yield from (((*at, *place), message, values) for place, message, values in _faults_of(evidence))


def _faults_of(evidence: EvidenceForm) -> Iterator[_Found]:
    demo = find_demo(evidence.demo)
    if demo is None:
        yield ("demo",), N_("There is no demo {id}."), {"id": evidence.demo}
        return
    try:
        demo.parse_params(evidence.params)
    except ParamError as error:
        yield ("params", error.name), error.message, error.values
    for number, expectation in enumerate(evidence.expect):
        for name in filter(None, (expectation.metric, expectation.of)):
            if demo.find_metric(name) is None:
                yield ("expect", number), N_("The demo does not measure {name}."), {"name": name}


def _repeated(ids: Iterable[str]) -> Iterator[int]:
    seen: set[str] = set()
    for number, each in enumerate(ids):
        if each in seen:
            yield number
        seen.add(each)
