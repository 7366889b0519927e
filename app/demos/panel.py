"""The evidence region: a demo with its parameters, the best measurement at hand, and the run under way."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlalchemy.orm import Session

from app.demos import service
from app.demos.claims import Claim, Finding, Outcome
from app.demos.engine import DemoEngine
from app.demos.queries import Evidence, find_evidence
from app.demos.service import Asker
from app.demos.spec import Demo, Params, params_hash
from app.demos.tables import Measurement
from app.demos.views import RunView


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that measurements can support or refute: they do where every one of `claims` holds."""

    text: str  # Markdown
    is_supported: bool
    demo: Demo
    params: Params
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A statement that the newest measurement has supported or refuted, with the numbers that did it."""

    statement: Statement
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class EvidencePanel:
    """What the region draws. `evidence` is None while nothing was read: the region then loads itself.

    `evidence_url` gives the region again, `return_to` the page that embeds it; `explanation` and `feedback`
    are Markdown that places the measured numbers.
    """

    demo: Demo
    params: Params
    evidence_url: str
    return_to: str
    explanation: str | None = None
    feedback: str | None = None
    statements: tuple[Statement, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    evidence: Evidence | None = None
    run: RunView | None = None
    region: str = ""  # what the ids in it end with, where a page has several

    def context(self) -> dict[str, Any]:
        """What `demos/_evidence.html` needs, by name."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return named | {"params": self.params.to_json()}


@dataclass(frozen=True, slots=True)
class ParamField:
    """One parameter of a demo, as its form draws it: a number with bounds, or one of `options`."""

    name: str
    label: str  # msgid
    value: int | str
    low: int | None
    high: int | None
    options: tuple[str, ...] | None
    error: str | None  # in the reader's language


def list_fields(
    params: Params, given: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None
) -> list[ParamField]:
    """Every parameter with its value (as it was given, where it was) and its bounds, in declaration order."""
    return [
        ParamField(
            name=declared.name,
            label=declared.metadata["label"],
            value=(given or {}).get(declared.name, getattr(params, declared.name)),
            low=declared.metadata.get("low"),
            high=declared.metadata.get("high"),
            options=declared.metadata.get("options"),
            error=(errors or {}).get(declared.name),
        )
        for declared in fields(params)
    ]


def read_panel(
    session: Session, runs: DemoEngine, panel: EvidencePanel, who: Asker, run_id: str | None
) -> EvidencePanel:
    """The panel with its measurement and its run: the one that was asked for, else the one in flight."""
    own = (panel.demo, panel.params)
    found = {own: _find_evidence(session, *own)}
    for statement in panel.statements:
        pair = (statement.demo, statement.params)
        found[pair] = found.get(pair) or _find_evidence(session, *pair)
    run = service.find_run_view(session, runs, run_id, who) if run_id else None
    if run is None or run.demo != panel.demo.id or run.params != panel.params.to_json():
        run = service.find_open_run(session, runs, panel.demo, panel.params, who)
    judged = (judge(each, found[each.demo, each.params].measurement) for each in panel.statements)
    verdicts = tuple(verdict for verdict in judged if verdict is not None)
    return replace(panel, evidence=found[own], run=run, verdicts=verdicts)


def judge(statement: Statement, measurement: Measurement | None) -> Verdict | None:
    """What a measurement says of a statement; None where it is missing or any claim does not hold.

    A claim that fails is no fact to tell a learner; `./rematch verify` names it to the question's keeper.
    """
    if measurement is None:
        return None
    findings = tuple(claim.evaluate(measurement.result["metrics"]) for claim in statement.claims)
    holds = all(finding.outcome is Outcome.HOLDS for finding in findings)
    return Verdict(statement, findings) if holds else None


def _find_evidence(session: Session, demo: Demo, params: Params) -> Evidence:
    return find_evidence(session, demo.id, params_hash(demo.id, params))
