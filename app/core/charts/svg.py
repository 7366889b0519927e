"""What every chart shares: elements, numbers that cannot break a drawing, scales, the four phases."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from app.core.language import Language
from app.core.marking import N_

WIDTH, HEIGHT = 480, 300
PHASES = {
    "forward": N_("forward"),
    "recompute": N_("recompute"),
    "backward": N_("backward"),
    "optimizer": N_("optimizer"),
}
LINES = 4  # dash patterns in charts.css; a fifth series begins again
_BLANK = Markup("")

# A 10x10 tile over the phase's colour: plain, diagonals, dots, a grid.
_TILES = {
    "forward": "",
    "recompute": "M-2 12L12-2M-2 2L2-2M8 12L12 8",
    "backward": "M3 5h4M5 3v4",
    "optimizer": "M0 5h10M5 0v10",
}


@dataclass(frozen=True, slots=True)
class Words:
    """What a chart says, in the reader's language."""

    title: str
    finding: str  # what the picture shows, for <desc> and the caption
    variants: Mapping[str, str] = field(default_factory=dict)  # variant id: label

    def variant(self, variant_id: object) -> str:
        """A variant's label; its id where it has none."""
        return self.variants.get(str(variant_id), str(variant_id))


def tag(name: str, content: str | Markup = _BLANK, **attributes: object) -> Markup:
    """One element, everything escaped. `class_` is class, `x_y` is x-y; None is left out."""
    written = _BLANK.join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _shown(value))
        for key, value in attributes.items()
        if value is not None
    )
    if not content and name in {"rect", "path", "line", "use", "circle"}:
        return Markup("<{}{}/>").format(Markup(name), written)  # noqa: S704 - names are this package's own
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), written, content)  # noqa: S704 - the same


def finite(value: object) -> float | None:
    """A number that can be drawn; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def chart_id(kind: str, data: object) -> str:
    """A prefix for ids that is the same for the same data."""
    canonical = json.dumps([kind, data], sort_keys=True, default=str)
    return f"c{hashlib.sha256(canonical.encode()).hexdigest()[:8]}"


def drawing(
    prefix: str, words: Words, body: Iterable[Markup], *, height: float = HEIGHT, phases: Iterable[str] = ()
) -> Markup:
    """The whole SVG: named, described, with the patterns of the phases it uses."""
    patterns = _BLANK.join(_pattern(prefix, phase) for phase in PHASES if phase in set(phases))
    return tag(
        "svg",
        _BLANK.join(
            [
                tag("title", words.title, id=f"{prefix}-t"),
                tag("desc", words.finding, id=f"{prefix}-d"),
                tag("defs", patterns) if patterns else _BLANK,
                *body,
            ]
        ),
        viewBox=f"0 0 {WIDTH} {height:g}",
        role="img",
        aria_labelledby=f"{prefix}-t",
        aria_describedby=f"{prefix}-d",
        class_="chart-svg",
    )


def phase_fill(prefix: str, phase: str) -> str:
    """The paint of a phase's shapes."""
    return f"url(#{prefix}-{phase})"


def legend(entries: Iterable[Markup]) -> Markup:
    """The key below a chart, from `line_entry` and `phase_entry`."""
    items = _BLANK.join(tag("li", entry) for entry in entries)
    return tag("ul", items, class_="legend") if items else _BLANK


def line_entry(index: int, label: str) -> Markup:
    """A series in the key: its dash and its name."""
    sample = tag("line", x1=1, y1=6, x2=35, y2=6, class_=f"line line-{index % LINES}")
    return tag("svg", sample, viewBox="0 0 36 12", class_="swatch", aria_hidden="true") + Markup(" ") + label


def phase_entry(prefix: str, phase: str, language: Language) -> Markup:
    """A phase in the key: its colour and pattern, and its name."""
    sample = tag("rect", width=24, height=12, fill=phase_fill(prefix, phase))
    word = language.gettext(PHASES[phase])
    return tag("svg", sample, viewBox="0 0 24 12", class_="swatch", aria_hidden="true") + Markup(" ") + word


def text(x: float, y: float, content: str, class_: str = "") -> Markup:
    """A label; `class_` places it (`end`, `middle`) or mutes it."""
    return tag("text", content, x=x, y=y, class_=class_ or None)


def unpaintable(words: Words, prefix: str, language: Language) -> Markup:
    """The drawing of no data: the same space, and why it is blank."""
    note = text(WIDTH / 2, HEIGHT / 2, language.gettext(N_("Nothing was measured here.")), "middle muted")
    return drawing(prefix, words, [note])


def known_phase(phase: Any) -> str:
    """One of the four; forward for anything else."""
    return phase if isinstance(phase, str) and phase in PHASES else "forward"


def _pattern(prefix: str, phase: str) -> Markup:
    tile = tag("rect", width=10, height=10, class_=f"fill-{phase}")
    if _TILES[phase]:
        tile += tag("path", d=_TILES[phase], class_="hatch")
    return tag("pattern", tile, id=f"{prefix}-{phase}", width=10, height=10, patternUnits="userSpaceOnUse")


def _shown(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
