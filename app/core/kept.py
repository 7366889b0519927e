"""Pages that are the same for every reader but for a few words: drawn once, kept, filled in each time.

What is kept must not change while the process lives: an immutable revision in one language. A page is drawn
with a mark in each place where readers differ (their token, their attempt's id), and cut there.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping

from markupsafe import Markup

KEPT_LIMIT = 4096  # pieces of pages, 0.5 to 8 KiB each
_MARK = re.compile("\ue010([a-z_]+)\ue011")  # private characters: no text and no address has them

Draw = Callable[[Mapping[str, Markup]], str]


class KeptPages:
    """Drawn pages by key, the least recently read dropped first. Safe between threads."""

    def __init__(self, limit: int = KEPT_LIMIT) -> None:
        self._limit = limit
        self._held: OrderedDict[Hashable, list[str]] = OrderedDict()
        self._lock = threading.Lock()

    def fill(self, key: Hashable, holes: Mapping[str, str], draw: Draw) -> str:
        """The page of that key with its holes filled by safe HTML; `draw` draws it around marks, once."""
        with self._lock:
            pieces = self._held.get(key)
            if pieces is not None:
                self._held.move_to_end(key)
        if pieces is None:
            pieces = _MARK.split(draw({name: Markup(f"\ue010{name}\ue011") for name in holes}))  # noqa: S704
            with self._lock:
                self._held[key] = pieces
                while len(self._held) > self._limit:
                    self._held.popitem(last=False)
        filled = pieces.copy()
        filled[1::2] = [holes[name] for name in pieces[1::2]]
        return "".join(filled)
