"""The evidence beside an answered question: what its demo measured, and the run that is measuring it now."""

from fastapi import Request
from sqlalchemy.orm import Session

from app.attempts.queries import AttemptState
from app.attempts.views import question_path
from app.banks.content import ItemContent, ItemWording
from app.demos.dependencies import asker_of
from app.demos.panel import EvidencePanel, Statement, read_panel
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


def read_panel_of(
    request: Request, attempt: AttemptState, number: int, locale: Locale, run: str | None = None
) -> EvidencePanel | None:
    """The panel of question `number`, read. `run` is one that the learner has asked for."""
    panel = unread_panel(attempt, number, locale)
    if panel is None:
        return None
    state = request.app.state
    with Session(state.engine, expire_on_commit=False) as session:
        return read_panel(session, state.demo_engine, panel, asker_of(request), run)
