"""What the code promises about its own shape, read from the code itself."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Route

from app.attempts import answering
from app.core.security import verify_csrf
from app.core.settings import ROOT
from app.main import create_app

APP = ROOT / "app"
LINE = ["core", "i18n", "accounts", "demos", "banks", "attempts"]  # each may import what stands before it
ENDS = ["authoring", "interchange", "reports"]  # each may import the whole line, and not one another

# What a feature shows to the features after it, beside its data (models, tables), queries and service.
SHOWN = {
    "accounts.dependencies": "who asks is a parameter of every feature's routes",
    "banks.content": "a quiz's cached, immutable content is what attempts are made of",
    "banks.dependencies": "the cache of that content is a parameter of routes",
    "demos.catalog": "questions name demos and their metrics, read without PyTorch",
    "demos.claims": "questions carry claims, and checking one is pure",
    "demos.dependencies": "an evidence region in a question asks for the engine",
    "demos.harness": "verify measures without the job engine",
    "demos.panel": "a question embeds the evidence region",
    "demos.spec": "questions name demos and their metrics, read without PyTorch",
}
DATA = {"models", "tables"}
OPEN = DATA | {"queries", "service"}
CORE_AND_I18N = {"core", "i18n"}  # no features: everything in them is for everyone

# Inside a feature: which kinds of module a kind may not import.
ABOVE = {
    "models": {"queries", "service", "forms", "routes", "dependencies", "views"},
    "tables": {"queries", "service", "forms", "routes", "dependencies", "views"},
    "queries": {"service", "forms", "routes", "dependencies"},
    "service": {"routes", "dependencies"},
    "forms": {"routes", "dependencies", "service", "queries"},
}

PURE = [  # no session, no request
    "attempts.grading",
    "banks.checks",
    "banks.forms",
    "banks.lint",
    "banks.search_documents",
    "banks.search_ranking",
    "banks.source",
    "core.charts",
    "demos.claims",
    "demos.schedules",
    "demos.spec",
    "i18n.formats",
    "i18n.negotiation",
]
IMPURE = re.compile(r"^(sqlalchemy|fastapi|starlette|app\.core\.db)\b")

LAB = [
    f"demos.{name}"
    for name in (
        *("allocator", "claims", "harness", "lab", "meter", "models", "passes", "provenance", "recompute"),
        *("results", "schedules", "spec", "steps", "timing"),
    )
]
OPTIONAL = {"app.demos.schedules.ilp": {"scipy"}}  # asked for when called; a named error where it is absent
FILE_LINES, TEST_FILE_LINES, FUNCTION_LINES = 350, 500, 60


@cache
def imports() -> dict[str, set[str]]:
    """Each module of the application, with the modules it imports; ours and others' by dotted name."""
    return {name_of(path): set(imported_by(path)) for path in sorted(APP.rglob("*.py"))}


def name_of(path: Path) -> str:
    """`app/demos/catalog/__init__.py` is `app.demos.catalog`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_by(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            for alias in node.names:  # `from app.banks import queries` imports app.banks.queries
                module = ROOT.joinpath(*(node.module or "").split("."), alias.name)
                is_module = module.with_suffix(".py").exists() or module.is_dir()
                yield f"{node.module}.{alias.name}" if is_module else str(node.module)


def own_imports() -> Iterator[tuple[list[str], list[str]]]:
    """(importer, imported) below `app`, as parts: (["banks", "queries"], ["core", "db"])."""
    for importer, imported in imports().items():
        for each in sorted(imported):
            if each.startswith("app.") and importer != "app":
                yield importer.split(".")[1:], each.split(".")[1:]


def is_feature(name: str) -> bool:
    return name in LINE or name in ENDS


def kind(module: list[str]) -> str:
    """What a module is inside its feature: `lab_routes` is routes."""
    return module[1].rsplit("_", 1)[-1] if len(module) > 1 else ""


def test_features_import_only_what_stands_before_them() -> None:
    def may(importer: str, imported: str) -> bool:
        if importer in ENDS:
            return imported in [*LINE, importer]
        return imported in LINE[: LINE.index(importer) + 1]

    broken = [
        f"{'.'.join(importer)} imports {'.'.join(imported)}"
        for importer, imported in own_imports()
        if is_feature(importer[0]) and not may(importer[0], imported[0])
    ]
    assert broken == []


def test_across_features_only_data_queries_service_and_what_is_shown_are_imported() -> None:
    def is_allowed(imported: list[str]) -> bool:
        return imported[0] in CORE_AND_I18N or kind(imported) in OPEN or ".".join(imported[:2]) in SHOWN

    broken = [
        f"{'.'.join(importer)} imports {'.'.join(imported)}"
        for importer, imported in own_imports()
        if is_feature(importer[0]) and imported[0] != importer[0] and not is_allowed(imported)
    ]
    assert broken == []


def test_inside_a_feature_imports_go_down() -> None:
    broken = [
        f"{'.'.join(importer)} imports {'.'.join(imported)}"
        for importer, imported in own_imports()
        if importer[0] == imported[0] and kind(imported) in ABOVE.get(kind(importer), ())
    ]
    assert broken == []


def test_pure_modules_know_no_session_and_no_request() -> None:
    broken = [
        f"{module} imports {each}"
        for module, imported in imports().items()
        for each in imported
        if module.removeprefix("app.").startswith(tuple(PURE)) and IMPURE.match(each)
    ]
    assert broken == []


def test_the_lab_needs_only_pytorch_and_itself() -> None:
    lab = [f"app.{name}" for name in [*LAB, "demos.catalog", "demos.declare"]]

    def is_lab(module: str) -> bool:
        return any(module == each or module.startswith(f"{each}.") for each in lab)

    def is_allowed(imported: str) -> bool:
        top = imported.split(".", maxsplit=1)[0]
        return (
            is_lab(imported)
            or imported in {"app", "app.core.marking"}
            or top in {"torch", "functorch", *sys.stdlib_module_names}
        )

    broken = [
        f"{module} imports {each}"
        for module, imported in imports().items()
        for each in imported
        if is_lab(module) and not is_allowed(each)
        if each.split(".")[0] not in OPTIONAL.get(module, set())
    ]
    assert broken == []


def test_a_spec_needs_no_pytorch() -> None:
    broken = [
        module
        for module, imported in imports().items()
        if module.endswith(".spec") and any(each.split(".")[0] == "torch" for each in imported)
    ]
    assert broken == []


def test_the_web_process_never_imports_pytorch() -> None:
    code = "import sys, app.main, app.web; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_every_route_that_changes_something_verifies_the_csrf_token() -> None:
    modules = [importlib.import_module(name_of(path)) for path in sorted(APP.rglob("*routes.py"))]
    routes = [route for module in modules for route in module.router.routes if isinstance(route, APIRoute)]
    changing = [route for route in routes if route.methods - {"GET", "HEAD"}]
    assert changing
    unguarded = [
        f"{sorted(route.methods)} {route.path}"
        for route in changing
        if verify_csrf not in [dependency.call for dependency in route.dependant.dependencies]
    ]
    assert unguarded == []


def test_a_route_outside_fastapi_verifies_the_csrf_token_itself() -> None:
    plain = [route for route in create_app().routes if type(route) is Route]
    changing = [route for route in plain if (route.methods or set()) - {"GET", "HEAD"}]
    assert [route.endpoint for route in changing] == [answering.post_response]
    assert all("verify_csrf" in route.endpoint.__code__.co_names for route in changing)


def test_files_and_functions_stay_short() -> None:
    long = []
    for path in [*APP.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]:
        is_test = not path.is_relative_to(APP)
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > (TEST_FILE_LINES if is_test else FILE_LINES):
            long.append(f"{path}: {text.count(chr(10))} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_test:
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    long.append(f"{path}:{node.lineno} {node.name}: {lines} lines")
    assert long == []


INLINE = {
    "an inline style": re.compile(r"<[^>]*\sstyle\s*=", re.IGNORECASE),
    "a style element": re.compile(r"<style\b", re.IGNORECASE),
    "an inline script": re.compile(r"<script\b(?![^>]*\ssrc=)", re.IGNORECASE),
    "an event handler": re.compile(r"<[^>]*\son[a-z]+\s*=", re.IGNORECASE),
    "hx-on": re.compile(r"\bhx-on\b"),
    "a filtered hx-trigger": re.compile(r"hx-trigger=\"[^\"]*\["),
    "javascript:": re.compile(r"javascript:", re.IGNORECASE),
}


@pytest.mark.parametrize("what", INLINE)
def test_templates_and_charts_hold_nothing_that_the_content_security_policy_refuses(what: str) -> None:
    files = [*(ROOT / "templates").rglob("*.html"), *(APP / "core").rglob("*.py")]
    assert files
    assert [str(path) for path in files if INLINE[what].search(path.read_text(encoding="utf-8"))] == []


def test_what_styles_and_pages_name_in_vendor_is_what_set_up_brings() -> None:
    sources = [*(ROOT / "static" / "css").rglob("*.css"), APP / "core" / "assets.py"]
    named = {
        name for path in sources for name in re.findall(r"vendor/([\w.-]+)", path.read_text(encoding="utf-8"))
    }
    assert named
    script = (ROOT / "rematch").read_text(encoding="utf-8")
    fonts = re.findall(r'"\$FONTS(-\S+)"', script)
    brought = {f"noto-sans-devanagari-devanagari{font}" for font in fonts}
    brought |= {Path(path).name for path in re.findall(r"^  node_modules/(\S+)$", script, re.MULTILINE)}
    assert named == brought
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert {Path(path).name for path in re.findall(r"/build/node_modules/(\S+)", image)} == brought


LOCAL = re.compile(r"/(?:work|root|home|Users)/|\bfile://|\blocalhost:\d{4,5}/simple")


def test_project_files_speak_of_no_machine() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    broken = []
    for name in listed.splitlines():
        if name == "tests/test_architecture.py" or not (ROOT / name).is_file():
            continue
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        broken += [f"{name}: {found}" for found in LOCAL.findall(text)]
    assert broken == []
