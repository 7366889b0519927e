"""`./rematch verify`: run every demo that a question names, and hold what the questions say against it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.banks.forms import ItemForm, placeholders
from app.banks.source import QuizSource
from app.demos.catalog import all_demos
from app.demos.claims import Number, Outcome
from app.demos.spec import Demo, Params

Measure = Callable[[str, Mapping[str, object]], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that a question says, and whether the measurement bears it out."""

    question: str
    demo: str
    words: str
    holds: bool

    def __str__(self) -> str:
        mark = "holds " if self.holds else "FAILS "
        return f"{mark} {self.question:<48} {self.demo:<44} {self.words}"


def verify(sources: Iterable[QuizSource], measure: Measure) -> Iterable[Line]:
    """A line for each claim of each question, and for each number that its texts place.

    `measure` runs a demo with parameters and gives the result's JSON; each pair is run once. A demo that
    raises fails every line that rests on it.
    """
    metrics: dict[tuple[Demo, Params], Mapping[str, Number | None] | str] = {}
    for source in sources:
        for item in source.form.items:
            if item.evidence is None:
                continue
            demo = all_demos()[item.evidence.demo]
            pair = demo, demo.parse_params(item.evidence.params)
            if pair not in metrics:
                metrics[pair] = _run(measure, *pair)
            yield from _lines(f"{source.form.slug}/{item.id}", item, *pair, metrics[pair])


def _run(measure: Measure, demo: Demo, params: Params) -> Mapping[str, Number | None] | str:
    try:
        metrics: Mapping[str, Number | None] = measure(demo.id, params.to_json())["metrics"]
    except Exception as error:  # noqa: BLE001 - it is shown on every line that rests on it
        return f"{type(error).__name__}: {error}"
    return metrics


def _lines(
    question: str, item: ItemForm, demo: Demo, params: Params, metrics: Mapping[str, Number | None] | str
) -> Iterable[Line]:
    shown = f"{demo.id}({', '.join(f'{name}={value}' for name, value in params.to_json().items())})"
    if isinstance(metrics, str):
        yield Line(question, shown, metrics, holds=False)
        return
    for expectation in item.evidence.expect if item.evidence else ():
        finding = expectation.claim().evaluate(metrics)
        yield Line(question, shown, str(finding), holds=finding.outcome is Outcome.HOLDS)
    placed = {name for _, text in item.texts() for wording in text.values() for name in placeholders(wording)}
    for name in sorted(placed):
        if metrics.get(name) is None:
            yield Line(question, shown, f"{name} stands in a text and was not measured", holds=False)
