"""A quiz's folder as the author wrote it: YAML with the line of every field, guides beside it.

Pure: text in, a checked form or faults out; no session and no request.
"""

import dataclasses
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from app.banks.forms import QuizForm
from app.core.marking import N_
from app.i18n.locales import Locale

FILE_LIMIT_BYTES = 4 * 1024 * 1024  # a bank of 500 items in three languages is under 2 MiB
Place = tuple[str | int, ...]

# Pydantic's error types in words of the site's own, so that gettext can translate them.
_MESSAGES = {
    "missing": N_("This field is missing."),
    "extra_forbidden": N_("There is no field of this name."),
    "string_pattern_mismatch": N_("This is empty or has characters that are not allowed here."),
    "string_too_short": N_("This is empty."),
    "string_too_long": N_("This is too long: at most {max_length} characters."),
    "string_type": N_("This must be text."),
    "literal_error": N_("This must be one of: {expected}."),
    "enum": N_("This must be one of: {expected}."),
    "too_short": N_("There are too few entries: at least {min_length}."),
    "too_long": N_("There are too many entries: at most {max_length}."),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in a file: where it stands, and a msgid with what fills it."""

    file: str
    line: int
    field: str
    message: str
    values: Mapping[str, object] = dataclasses.field(default_factory=dict)


class SourceFaultsError(Exception):
    """A source was refused; nothing of it was loaded."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(f"{len(faults)} faults, the first in {faults[0].file}:{faults[0].line}")
        self.faults = faults


@dataclasses.dataclass(frozen=True, slots=True)
class GuideSource:
    """A guide in one locale: its first heading, and the Markdown after it."""

    title: str
    body: str


@dataclasses.dataclass(frozen=True, slots=True)
class QuizSource:
    """A quiz that passed every check of its form, with the place of each field."""

    file: str
    form: QuizForm
    lines: dict[Place, int]
    guide: dict[Locale, GuideSource]

    def fault(self, place: Place, message: str, **values: object) -> Fault:
        """A fault at `place` of this file."""
        return Fault(self.file, line_of(self.lines, place), dotted(place), message, values)


class _Loader(yaml.SafeLoader):
    """Plain YAML without anchors (a few lines of them expand without bound) and without repeated keys."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Refuse an alias."""
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases are not used here", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Refuse a key that stands twice."""
        seen: set[object] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key!r} stands twice", problem_mark=key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def parse_quiz(text: bytes, *, file: str, guides: dict[Locale, GuideSource] | None = None) -> QuizSource:
    """Read one quiz.yaml. Raises SourceFaultsError with every fault found, each with its line and field."""
    if len(text) > FILE_LIMIT_BYTES:
        message = N_("The file is too large: at most {limit} bytes.")
        raise SourceFaultsError([Fault(file, 1, "", message, {"limit": FILE_LIMIT_BYTES})])
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise SourceFaultsError([Fault(file, line, "", N_("The file is not UTF-8."))]) from error
    data, lines = parse_yaml(decoded, file)
    try:
        form = QuizForm.model_validate(data)
    except ValidationError as error:
        raise SourceFaultsError([as_fault(each, file, lines) for each in error.errors()]) from error
    return QuizSource(file, form, lines, guides or {})


def read_folder(folder: Path) -> QuizSource:
    """Read `quiz.yaml` and the guides beside it. Raises SourceFaultsError, for a missing file too."""
    path = folder / "quiz.yaml"
    source = parse_quiz(_read(path), file=str(path))
    slug = source.form.guide
    if slug is None:
        return source
    guides = {locale: _read_guide(folder / f"{slug}.{locale}.md") for locale in source.form.locales}
    return QuizSource(source.file, source.form, source.lines, guides)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        message = N_("The file cannot be read: {reason}.")
        reason = {"reason": error.strerror or type(error).__name__}
        raise SourceFaultsError([Fault(str(path), 1, "", message, reason)]) from error


def _read_guide(path: Path) -> GuideSource:
    text = _read(path)
    try:
        title, _, body = text.decode("utf-8-sig").lstrip().partition("\n")
    except UnicodeDecodeError as error:
        raise SourceFaultsError([Fault(str(path), 1, "", N_("The file is not UTF-8."))]) from error
    if not title.startswith("# ") or not body.strip():
        message = N_("A guide begins with a line «# Title», and text follows it.")
        raise SourceFaultsError([Fault(str(path), 1, "", message)])
    return GuideSource(title.removeprefix("# ").strip(), body.strip() + "\n")


def parse_yaml(text: str, file: str) -> tuple[object, dict[Place, int]]:
    """Plain YAML, and the line of each thing in it. Raises SourceFaultsError."""
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            data = loader.construct_document(node) if node else None
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message, values = (
            N_("This is not YAML that can be read: {problem}."),
            {"problem": error.problem or ""},
        )
        raise SourceFaultsError([Fault(file, mark.line + 1 if mark else 1, "", message, values)]) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        values = {"problem": type(error).__name__}
        message = N_("This is not YAML that can be read: {problem}.")
        raise SourceFaultsError([Fault(file, 1, "", message, values)]) from error
    return data, dict(_walk(node, ())) if node else {}


def _unreadable(file: str, line: int, problem: str) -> SourceFaultsError:
    message = N_("This is not YAML that can be read: {problem}.")
    return SourceFaultsError([Fault(file, line, "", message, {"problem": problem})])


def _walk(node: yaml.Node, place: Place) -> Iterator[tuple[Place, int]]:
    yield place, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield (*place, key.value), key.start_mark.line + 1
            yield from (
                (at, line) for at, line in _walk(value, (*place, key.value)) if len(at) > len(place) + 1
            )
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            yield from _walk(value, (*place, number))


def line_of(lines: dict[Place, int], place: Place) -> int:
    """The line of `place`, or of the nearest thing around it that stands in the file."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def dotted(place: Place) -> str:
    """A place as people read it: `items[2].options[0].text.hi`."""
    shown = ""
    for part in place:
        shown += f"[{part}]" if isinstance(part, int) else f".{part}"
    return shown.removeprefix(".")


def as_fault(error: ErrorDetails, file: str, lines: dict[Place, int]) -> Fault:
    """What Pydantic found wrong, in the site's own words and at its line."""
    place = tuple(part for part in error["loc"] if part != "[key]")
    context = {key: str(value) for key, value in error.get("ctx", {}).items()}
    if error["type"] == "value_error":
        message, values = "{problem}.", {"problem": context["error"]}
    else:
        message, values = _MESSAGES.get(error["type"], "{problem}."), {"problem": error["msg"], **context}
    return Fault(file, line_of(lines, place), dotted(place), message, dict(values))
