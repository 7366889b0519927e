"""Pages: what one costs over bare bytes, what a first visit weighs, how soon a measurement is drawn."""

import re
import statistics
import time

import pytest

from app.core.settings import Settings
from tests.core.samples import RESULT
from tests.performance.client import Answer, drive, get
from tests.performance.figures import Table, compare
from tests.performance.learners import SLUG, start_learners, text_of
from tests.performance.measured import store_measurement
from tests.performance.servers import Server, serve
from tests.support.clients import Visitor, open_site

pytestmark = [pytest.mark.performance, pytest.mark.timeout(600)]

CONNECTIONS = 8
PAGE_BYTES = 20 * 1024
REQUESTS = 400
EVIDENCE_READS = 60


@pytest.mark.parametrize(("page", "least"), [("quiz", 0.08), ("question", None)])
def test_a_page(sqlite_server: Server, table: Table, page: str, least: float | None) -> None:
    learner = start_learners(sqlite_server.port, 1)[0]
    request = learner.quiz_page() if page == "quiz" else learner.question(1)

    def cpu_of(server: Server, sent: bytes) -> float:
        before = server.cpu_seconds()
        drive(server.port, [sent] * REQUESTS, connections=CONNECTIONS)
        return (server.cpu_seconds() - before) / REQUESTS

    with serve("tests.performance.bare", "page", str(PAGE_BYTES), environment={}) as bare:
        seen = compare(lambda: cpu_of(bare, get("/")), lambda: cpu_of(sqlite_server, request))
    table.note(f"{page} page: CPU bare / here", f"{seen.bare_us:,.0f} / {seen.real_us:,.0f} µs")
    if least is None:
        table.note(f"{page} page: 20 KB of bare bytes / here", f"{seen.ratio:.3f}")
    else:
        table.at_least(f"{page} page: 20 KB of bare bytes / here", seen.ratio, least)


def weight(answer: Answer) -> int:
    """Bytes on the wire, headers included."""
    return len(answer.head) + 4 + len(answer.body)


def test_a_first_visit_is_light(sqlite_server: Server, table: Table) -> None:
    """The home page with all that it links; then a question, with what that adds. Fonts are counted apart."""
    first = drive(
        sqlite_server.port, [get("/", headers="Accept-Encoding: gzip\r\n")], connections=1, status=302
    )[0]
    learner = start_learners(sqlite_server.port, 1)[0]
    pages = [get(first.header("location")), learner.quiz_page(), learner.question(1)]
    seen = [first, *drive(sqlite_server.port, pages, connections=1)]
    home, question = text_of(seen[1]), text_of(seen[3])
    linked = assets_in(home)
    files = drive(sqlite_server.port, [get(url) for url in sorted(linked)], connections=1)
    more = drive(
        sqlite_server.port, [get(url) for url in sorted(assets_in(question) - linked)], connections=1
    )
    requests = 2 + len(files)
    table.at_most(
        "first visit: bytes without a font", sum(map(weight, [*seen[:2], *files])), 50 * 1024, unit=" B"
    )
    table.at_most("first visit: requests", requests, 5)
    whole = sum(map(weight, [*seen, *files, *more]))
    table.at_most("from the address to the first question: bytes without a font", whole, 50 * 1024, unit=" B")


def assets_in(html: str) -> set[str]:
    """The stylesheets, scripts and images of a page."""
    return set(re.findall(r'(?:src|href)="(/static/[^"]+)"', html))


def test_evidence_of_a_stored_measurement(sqlite_site: Settings, table: Table) -> None:
    number = store_measurement(sqlite_site, RESULT)
    with open_site(sqlite_site) as client:
        visitor = Visitor(client)
        attempt = visitor.start(SLUG)
        page = visitor.get(f"{attempt}/questions/{number}").text
        option = re.findall(r'name="option" value="([^"]+)"', page)[0]
        visitor.answer(attempt, number, option)
        times_ms = []
        for _ in range(EVIDENCE_READS):
            started = time.process_time()  # on a busy machine a wall clock measures the machine
            shown = client.get(f"{attempt}/questions/{number}/evidence", headers={"HX-Request": "true"})
            times_ms.append(1000 * (time.process_time() - started))
            assert "<svg" in shown.text
    table.at_most(
        "evidence of a stored measurement, in-process, CPU",
        statistics.median(times_ms),
        30,
        unit=" ms",
        digits=1,
    )
