"""The demos: in each folder `spec.py`, read by every process, and `experiment.py`, read where torch is."""

import importlib
import pkgutil
from functools import cache

from app.demos.spec import Demo


@cache
def all_demos() -> dict[str, Demo]:
    """Every demo by its id; importing a spec needs the standard library only."""
    found = [
        importlib.import_module(f"{__name__}.{module.name}.spec").DEMO
        for module in pkgutil.iter_modules(__path__)
        if module.ispkg
    ]
    return {demo.id: demo for demo in sorted(found, key=lambda demo: demo.id)}


def find_demo(demo_id: str) -> Demo | None:
    """The demo of that id, or None."""
    return all_demos().get(demo_id)
