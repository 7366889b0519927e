"""What a guide's page draws: prose with its numbers, live demos, and the questions on each part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from markupsafe import Markup

from app.banks.content import GuideWording, QuizContent
from app.banks.guides import GuideBlock, parse_block
from app.banks.source import SourceFaultsError
from app.core.document import Live, Prose, SectionEnd
from app.core.language import Quantity, quantities
from app.demos.panel import EvidencePanel, ParamField, list_fields
from app.i18n.language import get_language
from app.i18n.locales import Locale


class SectionLink(NamedTuple):
    """A section as a list of contents names it."""

    anchor: str
    heading: str


class QuestionLink(NamedTuple):
    """A question on a part of the guide, by its number in the quiz."""

    number: int
    stem: str  # Markdown


@dataclass(frozen=True, slots=True)
class LiveView:
    """A live demo: its parameters as a form, and its region; none where a parameter is wrong."""

    block: GuideBlock
    url: str
    fields: list[ParamField]
    panel: EvidencePanel | None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class PartView:
    """One part of the page; what it holds is told by `kind`."""

    kind: Literal["prose", "live", "questions"]
    html: Markup = field(default_factory=Markup)
    live: LiveView | None = None
    questions: tuple[QuestionLink, ...] = ()


def guide_path(locale: Locale, slug: str) -> str:
    """Where a quiz's guide is."""
    return f"/{locale}/quizzes/{slug}/guide"


def list_contents(guide: GuideWording) -> list[SectionLink]:
    """The guide's sections."""
    return [SectionLink(section.anchor, section.heading) for section in guide.document.sections]


def live_view(
    path: str,
    block: GuideBlock,
    panel: EvidencePanel | None,
    fields: list[ParamField],
    problem: str | None = None,
) -> LiveView:
    """A live demo of the guide at `path`."""
    return LiveView(block, f"{path}/demos/{block.name}", fields, panel, problem)


def draw_parts(
    quiz: QuizContent, guide: GuideWording, panels: Mapping[str, EvidencePanel], locale: Locale
) -> Iterator[PartView]:
    """The guide's parts in order; `panels` are those of its live demos, read, by name."""
    language, numbers = get_language(locale), _numbers(panels)
    path = guide_path(locale, quiz.slug)
    blocks = {block.name: block for block in quiz.guide.blocks} if quiz.guide else {}
    for part in guide.document.parts:
        match part:
            case Prose():
                yield PartView("prose", html=part.html(language, numbers))
            case Live():
                block = _find_block(part, blocks)
                if block is not None:
                    panel = panels[block.name]
                    yield PartView("live", live=live_view(path, block, panel, list_fields(panel.params)))
            case SectionEnd():
                questions = tuple(_questions_on(quiz, part.anchor, locale))
                if questions:
                    yield PartView("questions", questions=questions)


def _numbers(panels: Mapping[str, EvidencePanel]) -> dict[str, Quantity]:
    """What every live demo has measured, as `name:metric`."""
    return {
        f"{name}:{metric}": quantity
        for name, panel in panels.items()
        if panel.evidence is not None and panel.evidence.measurement is not None
        for metric, quantity in quantities(
            panel.demo.metrics, panel.evidence.measurement.result["metrics"]
        ).items()
    }


def _find_block(live: Live, blocks: Mapping[str, GuideBlock]) -> GuideBlock | None:
    try:
        return blocks.get(parse_block(live.source).name)
    except SourceFaultsError:  # its demo has left the catalogue
        return None


def _questions_on(quiz: QuizContent, anchor: str, locale: Locale) -> Iterator[QuestionLink]:
    for number, item in enumerate(quiz.items, 1):
        if item.section == anchor:
            yield QuestionLink(number, item.wording(locale).stem)
