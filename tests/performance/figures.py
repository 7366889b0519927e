"""Figures of a bench: CPU of processes, medians of pairs, and the table that is printed at the end."""

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import psutil

PAIRS = 9
Figure = tuple[str, str, str, bool]  # what, seen, target, whether it holds


@dataclass(slots=True)
class Table:
    """The figures of one run, in the order in which they came."""

    rows: list[Figure] = field(default_factory=list)

    def at_least(self, name: str, seen: float, target: float, *, unit: str = "", digits: int = 3) -> None:
        """Note a figure, and fail the test that found it below its target."""
        self._hold(name, f"{seen:,.{digits}f}{unit}", f"≥ {target:,.{digits}f}{unit}", seen >= target)

    def at_most(self, name: str, seen: float, target: float, *, unit: str = "", digits: int = 0) -> None:
        """Note a figure, and fail the test that found it above its target."""
        self._hold(name, f"{seen:,.{digits}f}{unit}", f"≤ {target:,.{digits}f}{unit}", seen <= target)

    def note(self, name: str, seen: str) -> None:
        """A figure without a target."""
        self.rows.append((name, seen, "–", True))

    def _hold(self, name: str, seen: str, target: str, holds: bool) -> None:
        self.rows.append((name, seen, target, holds))
        assert holds, f"{name}: {seen}, target {target}"

    def lines(self) -> Iterable[str]:
        """The table as text."""
        rows = [("what", "seen", "target", "holds")]
        rows += [(*row[:3], "yes" if row[3] else "NO") for row in self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        for name, *cells in rows:
            right = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
            yield f"{name.ljust(widths[0])}  {right}"


def cpu_seconds(root: int) -> float:
    """CPU time that the process `root` and its children have used; of children that ended, nothing."""
    family = [root, *(child.pid for child in psutil.Process(root).children(recursive=True))]
    return sum(map(_own_cpu_seconds, family))


def _own_cpu_seconds(pid: int) -> float:
    # Linux names the CPU clock of any process by its id: nanoseconds, where /proc counts hundredths.
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except (OSError, AttributeError):
        return _rough_cpu_seconds(pid)


def _rough_cpu_seconds(pid: int) -> float:
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system


Round = Callable[[], float]  # does some work; gives its CPU seconds a request


@dataclass(frozen=True, slots=True)
class Comparison:
    """Medians of interleaved pairs: CPU of a request here and there, and of their ratio."""

    bare_us: float
    real_us: float
    ratio: float  # bare over real, median of the pairs' own


def compare(bare: Round, real: Round, pairs: int = PAIRS) -> Comparison:
    """Do both in turn, `pairs` times, each going first every other time; the first pair only warms up."""
    seen = []
    for turn in range(pairs + 1):
        if turn % 2:
            first = bare()
            seen.append((first, real()))
        else:
            last = real()
            seen.append((bare(), last))
    kept = seen[1:]
    return Comparison(
        bare_us=1e6 * statistics.median(pair[0] for pair in kept),
        real_us=1e6 * statistics.median(pair[1] for pair in kept),
        ratio=statistics.median(pair[0] / pair[1] for pair in kept),
    )
