"""The lab runs where nothing but PyTorch is installed, and a spec is read where PyTorch is not."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.settings import ROOT

DEMOS = ROOT / "app" / "demos"
LAB = [
    *(
        DEMOS / f"{name}.py"
        for name in ("meter", "models", "schedules", "harness", "claims", "spec", "declare")
    ),
    *(DEMOS / f"{name}.py" for name in ("recompute", "steps", "passes", "timing", "allocator", "results")),
    DEMOS / "provenance.py",
    *sorted((DEMOS / "catalog").rglob("*.py")),
]
WITHOUT = '''
import sys

class Without:
    """A finder that does not find the absent."""
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        absent = name.partition(".")[0] in {names!r}
        return None if absent else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
'''
OTHERS = {
    *("alembic", "babel", "dbos", "fastapi", "hypothesis", "httpx", "itsdangerous", "markdown_it", "nh3"),
    *(
        "numpy",
        "psycopg",
        "pydantic",
        "pydantic_settings",
        "pytest",
        "sqlalchemy",
        "starlette",
        "uvicorn",
        "yaml",
    ),
}


def run_python(program: str, *, without: set[str]) -> str:
    source = WITHOUT.format(names=without) + program
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def imported_by(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)


@pytest.mark.parametrize("path", LAB, ids=lambda path: str(path.relative_to(DEMOS)))
def test_the_lab_imports_pytorch_the_standard_library_and_itself(path: Path) -> None:
    ours = {f"app.demos.{each.stem}" for each in LAB if each.parent == DEMOS}
    for name in imported_by(path):
        is_ours = name in {"app", "app.demos", "app.core.marking"} | ours or name.startswith(
            "app.demos.catalog"
        )
        assert is_ours or name.partition(".")[0] in sys.stdlib_module_names | {"torch", "functorch"}, name


def test_a_forked_child_measures_where_only_pytorch_is_installed() -> None:
    """As the worker has it: the parent imports, a child runs."""
    program = """
import os
from app.demos.harness import measure
if os.fork() == 0:
    result = measure("replay", {"width": 16, "batch": 8})
    print(result["metrics"]["checkpointed.batches_tracked"], flush=True)
    os._exit(0)
assert os.wait()[1] == 0
"""
    assert run_python(program, without=OTHERS) == "2"


def test_what_is_said_to_be_absent_is() -> None:
    program = """
try:
    import fastapi
except ModuleNotFoundError:
    print("absent")
"""
    assert run_python(program, without=OTHERS) == "absent"


def test_specs_and_claims_are_read_without_pytorch() -> None:
    program = """
from app.demos import claims, schedules
from app.demos.catalog import all_demos
print(*all_demos())
assert "torch" not in sys.modules
"""
    assert run_python(program, without=OTHERS | {"torch"}).split() == [
        "budget",
        "fsdp-amp",
        "offload",
        "optimizer",
        "overhead",
        "real-model",
        "replay",
        "rng",
        "saved-activations",
        "selective",
        "sqrt-n",
        "trade",
        "utility",
    ]
