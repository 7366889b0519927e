"""Reads of quizzes and guides, and the shapes that their pages draw."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, select
from sqlalchemy.orm import Session

from app.banks.content import GuideContent, ItemEvidence, QuizCache, QuizContent
from app.banks.guides import GuideBlock
from app.banks.models import Quiz, QuizRevision
from app.core.document import Section
from app.core.errors import NotFoundError
from app.core.marking import N_
from app.demos.spec import Demo, Params
from app.i18n.locales import Locale


@dataclass(frozen=True, slots=True)
class Preview:
    """A question as it may be seen before the quiz: no key, options in the author's order."""

    stem: str
    options: list[str]
    section: Section | None  # of the guide


@dataclass(frozen=True, slots=True)
class QuizView:
    """A quiz's page in one locale."""

    slug: str
    title: str
    description: str
    level: str
    has_guide: bool
    questions: list[Preview]

    @property
    def question_count(self) -> int:
        """How many questions the quiz asks."""
        return len(self.questions)


def list_quizzes(session: Session, cache: QuizCache) -> list[QuizContent]:
    """Every quiz at its newest revision, in the order in which they came."""
    newest = select(func.max(QuizRevision.id)).group_by(QuizRevision.quiz_id).order_by(QuizRevision.quiz_id)
    return [cache.get(session.connection(), revision_id) for revision_id in session.scalars(newest).all()]


_CURRENT_REVISION = (
    select(QuizRevision.id)
    .join(Quiz, Quiz.id == QuizRevision.quiz_id)
    .where(Quiz.slug == bindparam("slug"))
    .order_by(QuizRevision.number.desc())
    .limit(1)
)


def get_current_quiz(connection: Connection, cache: QuizCache, slug: str) -> QuizContent:
    """The quiz's newest revision, which a new attempt gets. Raises NotFoundError."""
    revision_id = connection.scalar(_CURRENT_REVISION, {"slug": slug})
    if revision_id is None:
        raise NotFoundError(N_("There is no such quiz."))
    return cache.get(connection, revision_id)


def get_guide(quiz: QuizContent) -> GuideContent:
    """The quiz's guide. Raises NotFoundError."""
    if quiz.guide is None:
        raise NotFoundError(N_("This quiz has no guide."))
    return quiz.guide


def list_wanted_measurements(quizzes: Iterable[QuizContent]) -> list[tuple[Demo, Params]]:
    """Every demo with its parameters that a question or a guide of these quizzes rests on, each once."""
    known = list(quizzes)
    items = [item for quiz in known for item in quiz.items]
    named: list[ItemEvidence | GuideBlock] = [item.evidence for item in items if item.evidence]
    named += [evidence for item in items for evidence in item.refutations.values()]
    named += [block for quiz in known if quiz.guide for block in quiz.guide.blocks]
    return list(dict.fromkeys((each.demo, each.params) for each in named))


def quiz_view(quiz: QuizContent, locale: Locale) -> QuizView:
    """The quiz as its page shows it in `locale`."""
    words = quiz.wording(locale)
    questions = []
    for item in quiz.items:
        wording = item.wording(locale)
        options = [wording.options[option].text for option in item.options]
        questions.append(Preview(wording.stem, options, quiz.find_section(item, locale)))
    return QuizView(
        slug=quiz.slug,
        title=words.title,
        description=words.description,
        level=quiz.level,
        has_guide=quiz.guide is not None,
        questions=questions,
    )


def list_revision_times(session: Session) -> dict[int, datetime]:
    """When each revision of a quiz was made."""
    rows = session.execute(select(QuizRevision.id, QuizRevision.created_at))
    return {row.id: row.created_at for row in rows}
