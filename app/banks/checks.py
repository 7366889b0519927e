"""Checks that a form alone cannot make: across languages, and against what the demos declare. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from app.banks.forms import EvidenceForm, ItemForm, QuizForm, placeholders
from app.banks.source import Fault, Place, QuizSource
from app.core.marking import N_
from app.demos.catalog import find_demo
from app.demos.spec import Demo, ParamError
from app.i18n.locales import SOURCE_LOCALE

_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)


def check(source: QuizSource) -> list[Fault]:
    """Every fault of a quiz whose form is right; empty when it may be loaded."""
    form = source.form
    faults = [source.fault(place, message, **values) for place, message, values in _quiz_faults(form)]
    for number, item in enumerate(form.items):
        base: Place = ("items", number)
        found = [*_key_faults(item), *_text_faults(form, item), *_evidence_faults(item)]
        faults += [source.fault((*base, *place), message, **values) for place, message, values in found]
    return sorted(faults, key=lambda fault: fault.line)


_Found = tuple[Place, str, Mapping[str, object]]


def _quiz_faults(form: QuizForm) -> Iterator[_Found]:
    if SOURCE_LOCALE not in form.locales:
        yield ("locales",), N_("The source language, {locale}, is missing."), {"locale": SOURCE_LOCALE}
    for place in ("title", "description"):
        yield from (
            ((place,), N_("The text in «{locale}» is missing."), {"locale": locale})
            for locale in form.locales
            if locale not in getattr(form, place)
        )
    for number in _repeated(item.id for item in form.items):
        yield ("items", number, "id"), N_("This id stands twice: {id}."), {"id": form.items[number].id}


def _key_faults(item: ItemForm) -> Iterator[_Found]:
    ids = [option.id for option in item.options]
    if item.key not in ids:
        yield ("key",), N_("The key {key} is not the id of an option."), {"key": item.key}
    for number in _repeated(ids):
        yield ("options", number, "id"), N_("This id stands twice: {id}."), {"id": ids[number]}


def _text_faults(form: QuizForm, item: ItemForm) -> Iterator[_Found]:
    demo = find_demo(item.evidence.demo) if item.evidence else None
    for place, text in item.texts():
        for locale in form.locales:
            if locale not in text:
                yield place, N_("The text in «{locale}» is missing."), {"locale": locale}
            elif SOURCE_LOCALE in text:
                found = _differences(text[SOURCE_LOCALE], text[locale])
                yield from (((*place, locale), difference, values) for difference, values in found)
        for locale, wording in text.items():
            for name in placeholders(wording):
                message = _placeholder_fault(demo, name, may_place=place[-1] in {"explanation", "feedback"})
                if message is not None:
                    yield (*place, locale), message, {"name": name}


def _placeholder_fault(demo: Demo | None, name: str, *, may_place: bool) -> str | None:
    if not may_place:
        return N_("A measured number would give the answer away here: {name}.")
    if demo is None:
        return N_("The item names no demo that could measure {name}.")
    if demo.find_metric(name) is None:
        return N_("The demo does not measure {name}.")
    return None


def _differences(source: str, translated: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """What must be the same in every language and is not: measured numbers and code."""
    if placeholders(source) != placeholders(translated):
        name = _first_difference(placeholders(source), placeholders(translated))
        yield N_("The measured number {name} does not stand here as in the source."), {"name": name}
    if _code(source) != _code(translated):
        code = _first_difference(_code(source), _code(translated))
        yield N_("The code `{code}` does not stand here as in the source."), {"code": code}


def _code(text: str) -> Counter[str]:
    return Counter(match.group(2).strip() for match in _CODE.finditer(text))


def _first_difference(left: Counter[str], right: Counter[str]) -> str:
    return next(iter((left - right) or (right - left)))


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
