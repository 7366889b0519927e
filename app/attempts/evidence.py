"""The evidence beside an answered question: what its demo measured, and the run that is measuring it now."""

from typing import Annotated

from fastapi import Depends, Query, Request
from sqlalchemy.orm import Session

from app.accounts.dependencies import visitor
from app.attempts.dependencies import OwnAttempt
from app.attempts.queries import AttemptState
from app.banks.content import ItemContent, ItemWording
from app.core.db import ReadSession
from app.demos.dependencies import AskerDep, DemoEngineDep, asker
from app.demos.panel import EvidencePanel, Statement, read_panel
from app.i18n.locales import Locale


def unread_panel(
    request: Request, attempt: AttemptState, number: int, locale: Locale
) -> EvidencePanel | None:
    """The panel of question `number` before anything was read: its region loads itself.

    None where the question has no evidence, or may not show it yet.
    """
    item = attempt.item(number)
    if item.evidence is None or not attempt.is_revealed(number):
        return None
    wording, given = item.wording(locale), attempt.responses.get(number)
    path = {"locale": locale, "attempt_id": attempt.public_id, "number": number}
    return EvidencePanel(
        demo=item.evidence.demo,
        params=item.evidence.params,
        evidence_url=request.app.url_path_for("show_evidence", **path),
        return_to=request.app.url_path_for("show_question", **path),
        explanation=wording.explanation,
        feedback=wording.options[given.chosen].feedback if given else None,
        statements=_statements(item, wording, attempt.shown_options[number - 1]),
    )


def _statements(item: ItemContent, wording: ItemWording, shown: list[str]) -> tuple[Statement, ...]:
    """What is measured of each option, in the order in which they are shown."""
    stated = []
    for option in shown:
        is_key = option in item.key
        evidence = item.evidence if is_key else item.refutations.get(option)
        if evidence is not None:
            text = wording.options[option].text
            stated.append(Statement(text, is_key, evidence.demo, evidence.params, evidence.claims))
    return tuple(stated)


def evidence_panel(
    request: Request,
    locale: Locale,
    number: int,
    attempt: OwnAttempt,
    session: ReadSession,
    runs: DemoEngineDep,
    who: AskerDep,
    run: Annotated[str | None, Query(max_length=64)] = None,
) -> EvidencePanel | None:
    """The panel of the question that the URL names, read. `run` is one that the learner has asked for."""
    panel = unread_panel(request, attempt, number, locale)
    return panel and read_panel(session, runs, panel, who, run)


def read_now(request: Request, panel: EvidencePanel) -> EvidencePanel:
    """The panel read outside FastAPI's dependencies, for a page that follows an answer."""
    who = asker(request, visitor(request))
    with Session(request.app.state.engine) as session:
        return read_panel(session, request.app.state.demo_engine, panel, who, None)


Panel = Annotated[EvidencePanel | None, Depends(evidence_panel, scope="function")]
