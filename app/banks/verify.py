"""`./rematch verify`: run every demo that a question names, and hold what the questions say against it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET  # written here, never read

from app.banks.forms import EvidenceForm, ItemForm, placeholders
from app.banks.source import QuizSource
from app.demos.catalog import all_demos
from app.demos.claims import Number, Outcome
from app.demos.spec import Demo, Params

Metrics = Mapping[str, Number | None]
Measure = Callable[[str, Mapping[str, object]], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that a question says, and whether the measurement bears it out."""

    question: str
    role: str  # what it is said of: "supports <key>", "refutes <option>"
    demo: str
    words: str
    holds: bool

    def __str__(self) -> str:
        mark = "holds" if self.holds else "FAILS"
        return f"{mark}  {self.question}  {self.role}  {self.demo}  {self.words}"


def verify(sources: Iterable[QuizSource], measure: Measure) -> Iterator[Line]:
    """A line for each claim of each question, and for each number that its texts place.

    `measure` runs a demo with parameters and gives the result's JSON; each pair is run once. A demo that
    raises fails every line that rests on it.
    """
    bench = _Bench(measure)
    for source in sources:
        for item in source.form.items:
            question = f"{source.form.slug}/{item.id}"
            if item.evidence is not None:
                yield from _claim_lines(question, f"supports {item.key}", item.evidence, bench)
                yield from _placeholder_lines(question, item, item.evidence, bench)
            for option in item.options:
                refutation = item.refutation(option)
                if refutation is not None:
                    yield from _claim_lines(question, f"refutes {option.id}", refutation, bench)


class _Bench:
    """Runs each demo with each parameters once."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._found: dict[tuple[Demo, Params], Metrics | str] = {}

    def metrics(self, evidence: EvidenceForm) -> Metrics | str:
        """What was measured, or in words why nothing was."""
        demo, params = _pair(evidence)
        if (demo, params) not in self._found:
            try:
                self._found[demo, params] = self._measure(demo.id, params.to_json())["metrics"]
            except Exception as error:  # noqa: BLE001 - it is shown on every line that rests on it
                self._found[demo, params] = f"{type(error).__name__}: {error}"
        return self._found[demo, params]


def _claim_lines(question: str, role: str, evidence: EvidenceForm, bench: _Bench) -> Iterator[Line]:
    metrics = bench.metrics(evidence)
    for expectation in evidence.expect:
        if isinstance(metrics, str):
            yield Line(question, role, _shown(evidence), metrics, holds=False)
            continue
        finding = expectation.claim().evaluate(metrics)
        holds = finding.outcome is Outcome.HOLDS
        yield Line(question, role, _shown(evidence), str(finding), holds=holds)


def _placeholder_lines(
    question: str, item: ItemForm, evidence: EvidenceForm, bench: _Bench
) -> Iterator[Line]:
    metrics = bench.metrics(evidence)
    placed = {name for _, text in item.texts() for wording in text.values() for name in placeholders(wording)}
    for name in sorted(placed):
        if isinstance(metrics, str) or metrics.get(name) is None:
            yield Line(question, "is placed", _shown(evidence), f"{name} was not measured", holds=False)


def _pair(evidence: EvidenceForm) -> tuple[Demo, Params]:
    demo = all_demos()[evidence.demo]
    return demo, demo.parse_params(evidence.params)


def _shown(evidence: EvidenceForm) -> str:
    demo, params = _pair(evidence)
    return f"{demo.id}({', '.join(f'{name}={value}' for name, value in params.to_json().items())})"


def junit(lines: Sequence[Line]) -> str:
    """The lines as JUnit XML, for what shows test reports."""
    failures = sum(not line.holds for line in lines)
    suite = ET.Element("testsuite", name="verify", tests=str(len(lines)), failures=str(failures))
    for line in lines:
        case = ET.SubElement(suite, "testcase", classname=line.question, name=f"{line.role}: {line.words}")
        if not line.holds:
            ET.SubElement(case, "failure", message=line.words).text = line.demo
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
