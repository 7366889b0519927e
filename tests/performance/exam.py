"""The start of an exam: many learners within seconds, each thinking before each answer.

`python -m tests.performance.exam PORT LEARNERS` prints, as JSON, how long each answer took and what failed.
It
asks 127.0.0.1 only; a learner sends a fixed number of requests, and all give up after GIVE_UP_SECONDS. With
`--evidence` each also fetches the evidence of each answer, as a browser with JavaScript does by itself.
"""

import argparse
import asyncio
import json
import random
import resource
import statistics
import sys
import time
from dataclasses import asdict, dataclass, field

import uvloop

from tests.performance.client import Answer, Connection
from tests.performance.learners import LOCALES, Learner, options_in, text_of

LEARNERS_LIMIT = 2000
ARRIVE_SECONDS = 5.0
THINK_SECONDS = (1.0, 3.0)
QUESTIONS = 8
GIVE_UP_SECONDS = 120.0
OK, SEE_OTHER = 200, 303


@dataclass(slots=True)
class Outcome:
    """What the learners saw, in milliseconds."""

    answer_ms: list[float] = field(default_factory=list)
    page_ms: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    seconds: float = 0.0
    with_evidence: bool = False

    def answers(self) -> tuple[float, float]:
        """Median and p99 of the answers."""
        return statistics.median(self.answer_ms), statistics.quantiles(self.answer_ms, n=100)[98]


async def take_exam(port: int, learners: int, *, with_evidence: bool) -> Outcome:
    """Let the learners come, answer and go."""
    outcome = Outcome(with_evidence=with_evidence)
    started = time.monotonic()
    coming = [
        _take(port, Learner(LOCALES[index % len(LOCALES)]), ARRIVE_SECONDS * index / learners, outcome)
        for index in range(learners)
    ]
    try:
        await asyncio.wait_for(asyncio.gather(*coming), GIVE_UP_SECONDS)
    except TimeoutError:
        outcome.errors.append(f"not everyone had finished after {GIVE_UP_SECONDS:.0f} s")
    outcome.seconds = time.monotonic() - started
    return outcome


async def _take(port: int, learner: Learner, after_seconds: float, outcome: Outcome) -> None:
    await asyncio.sleep(after_seconds)
    try:
        connection = await Connection.open(port)
        await _answer_all(connection, learner, outcome)
        connection.close()
    except OSError as error:
        outcome.errors.append(repr(error))


async def _answer_all(connection: Connection, learner: Learner, outcome: Outcome) -> None:
    learner.read_quiz_page(await _ask(connection, learner.quiz_page(), outcome.page_ms, OK))
    learner.read_start(await _ask(connection, learner.start(), outcome.page_ms, SEE_OTHER))
    for number in range(1, QUESTIONS + 1):
        page = await _ask(connection, learner.question(number), outcome.page_ms, OK)
        await asyncio.sleep(random.uniform(*THINK_SECONDS))  # noqa: S311 - no secret
        option = random.choice(options_in(text_of(page)))  # noqa: S311
        shown = await _ask(connection, learner.answer(number, option), outcome.answer_ms, OK)
        if outcome.with_evidence and 'id="evidence"' in text_of(shown):
            await _ask(connection, learner.evidence(number), outcome.page_ms, OK)


async def _ask(connection: Connection, request: bytes, times_ms: list[float], status: int) -> Answer:
    started = time.perf_counter()
    answer = await connection.ask(request)
    times_ms.append(1000 * (time.perf_counter() - started))
    if answer.status != status:
        raise ConnectionError(f"{answer.status} in place of {status} for {request[:80]!r}")
    return answer


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("learners", type=int)
    parser.add_argument("--evidence", action="store_true")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, most), most))
    learners = min(options.learners, LEARNERS_LIMIT)
    outcome = uvloop.run(take_exam(options.port, learners, with_evidence=options.evidence))
    sys.stdout.write(json.dumps(asdict(outcome)))


if __name__ == "__main__":
    main()
