"""The evidence beside an answered question: what its demo measured, and the run that is measuring it now."""

from typing import Annotated

from fastapi import Depends, Query, Request
from sqlalchemy.orm import Session

from app.attempts.dependencies import OwnAttempt
from app.attempts.queries import AttemptState
from app.attempts.views import question_path
from app.core.db import ReadSession
from app.demos.dependencies import AskerDep, DemoEngineDep, asker_of
from app.demos.panel import EvidencePanel, read_panel
from app.i18n.locales import Locale


def unread_panel(attempt: AttemptState, number: int, locale: Locale) -> EvidencePanel | None:
    """The panel of question `number` before anything was read: its region loads itself.

    None where the question has no evidence, or may not show it yet.
    """
    item = attempt.item(number)
    if item.evidence is None or not attempt.is_revealed(number):
        return None
    wording, given = item.wording(locale), attempt.responses.get(number)
    here = question_path(locale, attempt.public_id, number)
    return EvidencePanel(
        demo=item.evidence.demo,
        params=item.evidence.params,
        evidence_url=f"{here}/evidence",
        return_to=here,
        explanation=wording.explanation,
        feedback=wording.options[given.chosen].feedback if given else None,
    )


def evidence_panel(
    locale: Locale,
    number: int,
    attempt: OwnAttempt,
    session: ReadSession,
    runs: DemoEngineDep,
    who: AskerDep,
    run: Annotated[str | None, Query(max_length=64)] = None,
) -> EvidencePanel | None:
    """The panel of the question that the URL names, read. `run` is one that the learner has asked for."""
    panel = unread_panel(attempt, number, locale)
    return panel and read_panel(session, runs, panel, who, run)


def read_now(request: Request, panel: EvidencePanel) -> EvidencePanel:
    """The panel read outside FastAPI's dependencies, for a page that follows an answer."""
    with Session(request.app.state.engine) as session:
        return read_panel(session, request.app.state.demo_engine, panel, asker_of(request), None)


Panel = Annotated[EvidencePanel | None, Depends(evidence_panel, scope="function")]
