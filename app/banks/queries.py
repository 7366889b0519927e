"""Reads of quizzes and guides, and the shapes that their pages draw."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.banks.content import QuizCache, QuizContent, in_locale
from app.banks.models import GuideText, Quiz
from app.core.errors import NotFoundError
from app.core.marking import N_
from app.i18n.locales import Locale


@dataclass(frozen=True, slots=True)
class Preview:
    """A question as it may be seen before the quiz: no key, options in the author's order."""

    stem: str
    options: list[str]


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


@dataclass(frozen=True, slots=True)
class GuideView:
    """A guide in one locale; `locale` is the source's where the reader's language has none."""

    title: str
    body: str
    locale: Locale


def list_quizzes(session: Session, cache: QuizCache) -> list[QuizContent]:
    """Every quiz that can be taken, in the order in which they came."""
    revisions = session.scalars(
        select(Quiz.current_revision_id).where(Quiz.current_revision_id.is_not(None)).order_by(Quiz.id)
    )
    return [cache.get(session.connection(), revision) for revision in revisions.all() if revision]


def get_current_quiz(session: Session, cache: QuizCache, slug: str) -> QuizContent:
    """The quiz's revision that a new attempt gets. Raises NotFoundError."""
    revision_id = session.scalar(select(Quiz.current_revision_id).where(Quiz.slug == slug))
    if revision_id is None:
        raise NotFoundError(N_("There is no such quiz."))
    return cache.get(session.connection(), revision_id)


def get_guide(session: Session, quiz: QuizContent, locale: Locale) -> GuideView:
    """The quiz's guide in `locale`, else in the source language. Raises NotFoundError."""
    rows = session.execute(
        select(GuideText.locale, GuideText.title, GuideText.body).where(
            GuideText.revision_id == quiz.guide_revision_id
        )
    )
    texts = {Locale(row.locale): GuideView(row.title, row.body, Locale(row.locale)) for row in rows}
    if not texts:
        raise NotFoundError(N_("This quiz has no guide."))
    return in_locale(texts, locale)


def quiz_view(quiz: QuizContent, locale: Locale) -> QuizView:
    """The quiz as its page shows it in `locale`."""
    words = quiz.wording(locale)
    questions = []
    for item in quiz.items:
        wording = item.wording(locale)
        questions.append(Preview(wording.stem, [wording.options[option].text for option in item.options]))
    return QuizView(
        slug=quiz.slug,
        title=words.title,
        description=words.description,
        level=quiz.level,
        has_guide=quiz.guide_revision_id is not None,
        questions=questions,
    )
