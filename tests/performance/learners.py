"""Learners of the real site, over HTTP: a browser's cookie, its token, an attempt of its own."""

import gzip
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.performance.client import BROWSER_HEADERS, Answer, drive, get, post

SLUG = "gradient-checkpointing"
LOCALES = ("en", "hi", "vi")
HTMX = BROWSER_HEADERS + "HX-Request: true\r\n"
_TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')
_OPTION = re.compile(r'name="option" value="([^"]+)"')


def text_of(answer: Answer) -> str:
    """What was sent, unpacked."""
    is_packed = answer.header("content-encoding") == "gzip"
    return (gzip.decompress(answer.body) if is_packed else answer.body).decode()


def token_in(html: str) -> str:
    """The CSRF token of a page's form."""
    found = _TOKEN.search(html)
    assert found, html
    return found[1]


def options_in(html: str) -> list[str]:
    """The ids of a question's options, in the order in which they are shown."""
    return _OPTION.findall(html)


@dataclass(slots=True)
class Learner:
    """One browser in one language."""

    locale: str
    cookie: str = ""
    token: str = ""
    attempt: str = ""  # its path
    options: list[str] = field(default_factory=list)

    def quiz_page(self) -> bytes:
        """The page where a quiz is started."""
        return get(f"/{self.locale}/quizzes/{SLUG}", cookie=self.cookie)

    def read_quiz_page(self, answer: Answer) -> None:
        """Keep the cookies and the token."""
        cookies = re.findall(rb"set-cookie: ([^;]+)", answer.head, re.IGNORECASE)
        self.cookie = b"; ".join(cookies).decode() or self.cookie
        self.token = token_in(text_of(answer))

    def start(self) -> bytes:
        """Begin an attempt."""
        path = f"/{self.locale}/quizzes/{SLUG}/attempts"
        return post(path, {"csrf_token": self.token}, cookie=self.cookie)

    def read_start(self, answer: Answer) -> None:
        """Keep where the attempt is."""
        self.attempt = answer.header("location").partition("/questions/")[0]

    def question(self, number: int) -> bytes:
        """A question's page."""
        return get(f"{self.attempt}/questions/{number}", cookie=self.cookie)

    def answer(self, number: int, option: str) -> bytes:
        """Answer a question, as htmx sends it."""
        fields = {"csrf_token": self.token, "question": number, "option": option}
        return post(f"{self.attempt}/responses", fields, cookie=self.cookie, headers=HTMX)

    def evidence(self, number: int) -> bytes:
        """The evidence of an answered question, as the page fetches it by itself."""
        return get(f"{self.attempt}/questions/{number}/evidence", cookie=self.cookie, headers=HTMX)


def start_learners(port: int, count: int, *, connections: int = 32) -> list[Learner]:
    """Learners who each have just begun an attempt, in the site's languages by turns."""
    learners = [Learner(LOCALES[index % len(LOCALES)]) for index in range(count)]
    pages = drive(port, [each.quiz_page() for each in learners], connections=connections)
    for learner, page in zip(learners, pages, strict=True):
        learner.read_quiz_page(page)
    started = drive(port, [each.start() for each in learners], connections=connections, status=303)
    for learner, answer in zip(learners, started, strict=True):
        learner.read_start(answer)
    return learners


def read_options(port: int, learner: Learner, total: int) -> Sequence[str]:
    """One option of each question."""
    pages = drive(port, [learner.question(number) for number in range(1, total + 1)], connections=1)
    return [options_in(text_of(page))[0] for page in pages]
