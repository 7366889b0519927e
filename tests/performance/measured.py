"""A stored measurement for the bench."""

from sqlalchemy.orm import Session

from app.banks.content import ItemContent, QuizCache
from app.banks.queries import get_current_quiz
from app.core.db import make_engine, now
from app.core.settings import Settings
from app.demos.spec import params_hash
from app.demos.tables import Measurement
from tests.performance.learners import SLUG


def store_measurement(settings: Settings, result: dict[str, object]) -> int:
    """Store a measurement for the first question about the demo `trade`; returns the question's number."""
    engine = make_engine(settings.app_database_url)
    with Session(engine) as session, session.begin():
        quiz = get_current_quiz(session.connection(), QuizCache(), SLUG)
        number, item = next((n, item) for n, item in enumerate(quiz.items, 1) if _shows_trade(item))
        assert item.evidence is not None
        params = item.evidence.params
        metrics = {
            metric.id: 1_048_576 if metric.unit == "bytes" else 1.5 for metric in item.evidence.demo.metrics
        }
        session.add(
            Measurement(
                run_id="bench",
                demo_id="trade",
                params_hash=params_hash("trade", params),
                params=params.to_json(),
                device_class="cpu",
                device_name="a processor",
                software="torch 2, harness 1",
                host="here",
                result=result | {"metrics": metrics, "params": params.to_json()},
                measured_at=now(),
            )
        )
    engine.dispose()
    return number


def _shows_trade(item: ItemContent) -> bool:
    return item.evidence is not None and item.evidence.demo.id == "trade"
