"""A measurement as a finished run stores it."""

from typing import Any

from app.core.db import make_engine, now, writing
from app.core.settings import Settings
from app.demos.catalog import all_demos
from app.demos.spec import params_hash
from app.demos.tables import Measurement
from tests.core.samples import RESULT


def store_measurement(settings: Settings, metrics: dict[str, Any]) -> None:
    """Store a finished run's result of the demo `trade` with the parameters that the small quiz names."""
    demo = all_demos()["trade"]
    params = demo.parse_params({"depth": 8, "segments": 2})
    engine = make_engine(settings.app_database_url)
    with writing(engine) as session:
        session.add(
            Measurement(
                run_id=f"run {metrics}",
                demo_id="trade",
                params_hash=params_hash("trade", params),
                params=params.to_json(),
                device_class="cpu",
                device_name=RESULT["provenance"]["device_name"],
                software="torch 2.13.0",
                host="quiz",
                result=RESULT | {"metrics": RESULT["metrics"] | metrics},
                measured_at=now(),
            )
        )
    engine.dispose()
