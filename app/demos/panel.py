"""The evidence region: a demo with its parameters, the best measurement at hand, and the run under way."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlalchemy.orm import Session

from app.demos import service
from app.demos.engine import DemoEngine
from app.demos.queries import Evidence, find_evidence
from app.demos.service import Asker
from app.demos.spec import Demo, Params, params_hash
from app.demos.views import RunView


@dataclass(frozen=True, slots=True)
class EvidencePanel:
    """What the region draws. `evidence` is None while nothing was read: the region then loads itself.

    `evidence_url` gives the region again, `return_to` the page that embeds it; `explanation` and `feedback` are
    Markdown that places the measured numbers.
    """

    demo: Demo
    params: Params
    evidence_url: str
    return_to: str
    explanation: str | None = None
    feedback: str | None = None
    evidence: Evidence | None = None
    run: RunView | None = None

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
    evidence = find_evidence(session, panel.demo.id, params_hash(panel.demo.id, panel.params))
    run = service.find_run_view(session, runs, run_id, who) if run_id else None
    if run is None or run.demo != panel.demo.id or run.params != panel.params.to_json():
        run = service.find_open_run(session, runs, panel.demo, panel.params, who)
    return replace(panel, evidence=evidence, run=run)
