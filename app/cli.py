"""The tasks of `./rematch` that need the application: `python -m app.cli TASK`."""

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from app.banks import loader
from app.banks.forms import QuizForm
from app.banks.lint import Severity
from app.banks.linting import Found, check_guides, lint_guides, lint_source, read_glossary
from app.banks.source import Fault, SourceFaultsError, read_folder
from app.core.db import make_engine, writing
from app.core.migrations import upgrade
from app.core.settings import Settings
from app.i18n.negotiation import command_line_locale
from app.i18n.translations import gettext


def main(arguments: list[str] | None = None) -> int:
    """Run one task; its exit code."""
    options = _parser().parse_args(arguments)
    task: Callable[[argparse.Namespace], int] = options.task
    return task(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="./rematch", description="Rematch's tasks.")
    tasks = parser.add_subparsers(required=True, metavar="TASK")

    run = tasks.add_parser("serve", prog="./rematch run", help="serve the site and measure")
    run.add_argument("--host", default="127.0.0.1")
    run.add_argument("--port", type=int, default=8000)
    run.add_argument("--data", type=Path, help="where all state lives")
    run.add_argument("--no-worker", action="store_true", help="serve only: workers run elsewhere")
    run.set_defaults(task=_run)

    load = tasks.add_parser("load", help="load quizzes/ into the database")
    load.add_argument("--check", action="store_true", help="only read and check the files")
    load.set_defaults(task=_load)

    lint = tasks.add_parser(
        "lint-content", help="say what is wrong in the texts of quizzes/, and how to mend it"
    )
    lint.add_argument("--strict", action="store_true", help="fail on a warning too")
    lint.set_defaults(task=_lint_content)

    tasks.add_parser("migrate", help="bring the database up to date").set_defaults(task=_migrate)
    tasks.add_parser("schema", help="print the JSON Schema of quiz.yaml").set_defaults(task=_schema)

    bring = tasks.add_parser("import-measurements", help="load a file that gpu-check wrote elsewhere")
    bring.add_argument("file", type=Path)
    bring.set_defaults(task=_import_measurements)

    verify = tasks.add_parser("verify", help="run every demo that a question names and check what it shows")
    verify.add_argument("--device", default="cpu", help="cpu, cuda or cuda:1")
    verify.add_argument(
        "--report", type=Path, metavar="DIR", help="also write verify.txt and verify.xml (JUnit)"
    )
    verify.set_defaults(task=_verify)
    return parser


def _run(options: argparse.Namespace) -> int:
    from app.serve import serve  # noqa: PLC0415 - the other tasks need no server

    settings = Settings(data=options.data.resolve()) if options.data else Settings()
    try:
        return serve(settings, host=options.host, port=options.port, has_worker=not options.no_worker)
    except SourceFaultsError as error:
        print_faults(error.faults)
        return 1


def _migrate(_options: argparse.Namespace) -> int:
    settings = Settings()
    settings.data.mkdir(parents=True, exist_ok=True)
    upgrade(settings.app_database_url)
    return 0


def _import_measurements(options: argparse.Namespace) -> int:
    from app.demos.imports import (  # noqa: PLC0415 - the other tasks import no measurements
        MeasurementFileError,
        read_measurements,
        store_measurements,
    )

    try:
        results = read_measurements(options.file)
    except (MeasurementFileError, OSError) as error:
        print(f"{options.file}: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
        return 1
    _migrate(options)
    engine = make_engine(Settings().app_database_url)
    with writing(engine) as session:
        stored = store_measurements(session, results)
    engine.dispose()
    print(f"{options.file}: {len(results)} measurements, {stored} of them new")
    return 0


def _schema(_options: argparse.Namespace) -> int:
    print(schema_text(), end="")
    return 0


def schema_text() -> str:
    """The JSON Schema of quiz.yaml, as `quizzes/quiz.schema.json` holds it."""
    return json.dumps(QuizForm.model_json_schema(by_alias=True), indent=2, ensure_ascii=False) + "\n"


def _load(options: argparse.Namespace) -> int:
    settings = Settings()
    try:
        sources = loader.read_all(settings.quizzes)
    except SourceFaultsError as error:
        print_faults(error.faults)
        return 1
    if options.check:
        print(f"{len(sources)} quizzes, no fault")
        return 0
    engine = make_engine(settings.app_database_url)
    with writing(engine) as session:
        for loaded in loader.load_all(session, sources):
            state = "new revision" if loaded.is_new_revision else "unchanged"
            print(f"{loaded.slug}: {loaded.items} items, {loaded.new_item_revisions} revised, {state}")
    engine.dispose()
    return 0


def _lint_content(options: argparse.Namespace) -> int:
    folder = Settings().quizzes
    try:
        glossary = read_glossary(folder)
        sources = [read_folder(path.parent) for path in sorted(folder.glob("*/quiz.yaml"))]
    except SourceFaultsError as error:
        print_faults(error.faults)
        return 1
    found = [
        each
        for source in sources
        for lint in (lint_source, lint_guides)
        for each in lint(source, glossary)
        if each.finding.rule.severity is not Severity.INFO
    ]
    for each in sorted(found, key=lambda each: (each.file, each.line)):
        print_found(each)
    faults = [fault for source in sources for fault in check_guides(source)]
    print_faults(faults)
    errors = sum(each.finding.is_error for each in found) + len(faults)
    warnings = len(found) + len(faults) - errors
    print(f"{len(sources)} quizzes with their guides: {errors} errors, {warnings} warnings")
    return 1 if errors or (options.strict and found) else 0


def print_found(found: Found) -> None:
    """`file:line: field: severity rule: why`, and below it how to mend it, in the reader's language."""
    rule, words = found.finding.rule, partial(gettext, command_line_locale())
    print(f"{found.file}:{found.line}: {found.field}: {rule.severity} {rule.id}: {found.finding.why(words)}")
    print(f"    {found.finding.how(words)}")


def print_faults(faults: list[Fault]) -> None:
    """Each fault on a line of its own, `file:line: field: what is wrong`, in the reader's language."""
    locale = command_line_locale()
    for fault in faults:
        words = gettext(locale, fault.message).format(**fault.values)
        print(f"{fault.file}:{fault.line}: {fault.field}: {words}", file=sys.stderr)


def _verify(options: argparse.Namespace) -> int:
    from app.banks.verify import junit, verify  # noqa: PLC0415
    from app.demos.harness import measure  # noqa: PLC0415 - imports torch, and the other tasks need none

    sources = loader.read_all(Settings().quizzes)
    lines = []
    for line in verify(sources, partial(measure, device=options.device)):
        print(line, flush=True)
        lines.append(line)
    failures = sum(not line.holds for line in lines)
    summary = f"verify on {options.device}: {len(lines) - failures} of {len(lines)} hold, {failures} do not"
    print(summary)
    if options.report:
        options.report.mkdir(parents=True, exist_ok=True)
        text = "\n".join([*map(str, lines), summary, ""])
        (options.report / "verify.txt").write_text(text, encoding="utf-8")
        (options.report / "verify.xml").write_text(junit(lines), encoding="utf-8")
    return 1 if failures or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
