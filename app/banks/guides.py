"""The live demos of a guide: fences that name a demo and its parameters. Pure.

    ```demo
    name: spacing
    id: sqrt-segments
    params:
      layers: 64
    ```

The text around them places what a block measured as `{{spacing:plain.peak_bytes}}`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, ConfigDict, ValidationError

from app.banks.forms import Slug
from app.banks.source import Fault, Place, SourceFaultsError, as_fault, parse_yaml
from app.core.document import Live, read_document
from app.core.marking import N_
from app.demos.catalog import find_demo
from app.demos.spec import Demo, ParamError, Params

BLOCK_LIMIT = 1000  # characters


@dataclass(frozen=True, slots=True)
class GuideBlock:
    """A demo in a guide, with the parameters that it stands there with."""

    name: str
    demo: Demo
    params: Params


class _BlockForm(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Slug
    id: Slug
    params: dict[str, int | str] = {}


@dataclass(slots=True)
class _Seen:
    """What stood in a guide so far."""

    names: set[str] = field(default_factory=set)
    demos: set[tuple[str, Params]] = field(default_factory=set)


def parse_block(source: str, file: str = "") -> GuideBlock:
    """What a fence says. Raises SourceFaultsError, its lines counted in the fence."""
    if len(source) > BLOCK_LIMIT:
        message = N_("This is too long: at most {max_length} characters.")
        raise SourceFaultsError([Fault(file, 1, "", message, {"max_length": BLOCK_LIMIT})])
    data, lines = parse_yaml(source, file)

    def refused(place: Place, message: str, values: Mapping[str, object]) -> SourceFaultsError:
        return SourceFaultsError(
            [Fault(file, lines.get(place, 1), ".".join(map(str, place)), message, values)]
        )

    try:
        form = _BlockForm.model_validate(data)
    except ValidationError as error:
        raise SourceFaultsError([as_fault(each, file, lines) for each in error.errors()]) from error
    demo = find_demo(form.id)
    if demo is None:
        raise refused(("id",), N_("There is no demo {id}."), {"id": form.id})
    try:
        return GuideBlock(form.name, demo, demo.parse_params(form.params))
    except ParamError as error:
        raise refused(("params", error.name), error.message, error.values) from error


def list_blocks(body: str) -> Iterator[GuideBlock]:
    """The blocks of a guide that has been loaded, without those whose demo has left the catalogue since."""
    for live in read_document(body).lives:
        try:
            yield parse_block(live.source)
        except SourceFaultsError:
            continue


def guide_faults(file: str, text: str) -> Iterator[Fault]:
    """What a guide's file has that its page could not show; the first line is its title."""
    _, _, body = text.partition("\n")
    document = read_document(f"\n{body}")  # lines are counted in the file
    for faulty in document.faulty_formulas:
        values = {"formula": faulty.formula[:80], "problem": faulty.problem}
        yield Fault(file, faulty.line, "", N_("This formula cannot be shown: {formula} ({problem})."), values)
    anchors: set[str] = set()
    for section in document.sections:
        if section.anchor in anchors:
            values = {"anchor": section.anchor}
            yield Fault(file, section.line, "", N_("Two sections have the anchor {anchor}."), values)
        anchors.add(section.anchor)
    seen = _Seen()
    for live in document.lives:
        yield from _block_faults(file, live, seen)


def _block_faults(file: str, live: Live, seen: _Seen) -> Iterator[Fault]:
    try:
        block = parse_block(live.source, file)
    except SourceFaultsError as error:
        yield from (replace(fault, line=fault.line + live.line) for fault in error.faults)
        return
    if block.name in seen.names:
        yield Fault(file, live.line, "name", N_("Two demos have the name {name}."), {"name": block.name})
    if (block.demo.id, block.params) in seen.demos:
        message = N_("The demo {id} stands here twice with the same parameters.")
        yield Fault(file, live.line, "id", message, {"id": block.demo.id})
    seen.names.add(block.name)
    seen.demos.add((block.demo.id, block.params))
