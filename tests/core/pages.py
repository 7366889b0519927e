"""Fixture contexts for every page, in every state: what the templates are drawn from in tests."""

from datetime import timedelta
from types import SimpleNamespace as View
from typing import Any

from app.banks.content import GuideWording
from app.banks.guide_views import PartView, QuestionLink, list_contents
from app.core.document import Prose
from app.i18n.language import get_language
from app.i18n.locales import Locale
from tests.core.samples import DEMO, NOW, PICTURES, PROVENANCE, RESULT
from tests.core.texts import GUIDE, QUIZ_TEXTS


def evidence(picture: str = "timeline", *, measured: bool = True, **changes: Any) -> View:
    result = RESULT | {"picture": PICTURES[picture]}
    measurement = View(
        id=1,
        result=result,
        measured_at=NOW - timedelta(minutes=2),
        device_class="cpu",
        device_name=PROVENANCE["device_name"],
        is_imported=False,
    )
    worker = View(device_class="cpu", device_name=PROVENANCE["device_name"])
    fields = {
        "measurement": measurement if measured else None,
        "is_fresh": True,
        "is_here": True,
        "worker": worker,
        "elsewhere": None,
    }
    return View(**fields | changes)


def imported() -> View:
    """A measurement that came in a file from a machine with a GPU."""
    device = {"device_class": "cuda", "device_name": "NVIDIA H200", "capability": "9.0", "host": "elsewhere"}
    result = RESULT | {"provenance": PROVENANCE | device, "picture": PICTURES["timeline"]}
    return View(
        id=2, result=result, measured_at=NOW, device_class="cuda", device_name="NVIDIA H200", is_imported=True
    )


def run(**changes: Any) -> View:
    fields: dict[str, Any] = {
        "id": "abc",
        "demo": "trade",
        "params": RESULT["params"],
        "status": "running",
        "position": None,
        "fraction": 0.4,
        "message": "",
        "failure_code": None,
        "is_open": True,
        "can_cancel": True,
        "worker_alive": True,
        "expected_seconds": 8,
        "measurement_id": None,
        "retry_seconds": None,
    }
    return View(**fields | changes)


def failed(code: str) -> View:
    refused = code in {"queue_full", "rate_limited", "worker_down"}
    return run(
        id="" if refused else "abc",
        status="failed",
        is_open=False,
        can_cancel=False,
        failure_code=code,
        retry_seconds=95,
    )


def panel(given: View | None, a_run: View | None = None) -> dict[str, Any]:
    return {
        "evidence": given,
        "demo": DEMO,
        "params": RESULT["params"],
        "run": a_run,
        "evidence_url": "/en/attempts/x1/questions/3/evidence",
        "return_to": "/en/attempts/x1/questions/3",
    }


def question(locale: str, *, chosen: str | None = None, closed: bool = False, **changes: Any) -> View:
    text = QUIZ_TEXTS[locale]
    revealed = chosen is not None or closed
    fields: dict[str, Any] = {
        "attempt_id": "x1",
        "quiz_slug": "gradient-checkpointing",
        "quiz_title": text["title"],
        "number": 3,
        "total": 8,
        "answered": 3 if revealed else 2,
        "stem": text["stem"],
        "options": [
            View(id=str(index), text=each, feedback=text["feedback"])
            for index, each in enumerate(text["options"])
        ],
        "selected": None,
        "chosen": chosen,
        "key": "0" if revealed else None,
        "explanation": text["explanation"] if revealed else None,
        "is_right": chosen == "0" if chosen is not None else None,
        "is_closed": closed,
        "previous_number": 2,
        "next_number": 4,
        "can_finish": False,
        "has_evidence": True,
        "section": View(anchor="kept", heading="What is kept") if revealed else None,
    }
    return View(**fields | changes)


def summary(locale: str, *, finished: bool) -> View:
    return View(
        public_id="x1",
        quiz_slug="gradient-checkpointing",
        quiz_title=QUIZ_TEXTS[locale]["title"],
        answered=8 if finished else 3,
        total=8,
        score=6.0,
        started_at=NOW - timedelta(hours=3),
        finished_at=NOW - timedelta(hours=2) if finished else None,
    )


def searches(locale: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """The search's page: results in two languages on the second of three pages, none, and nothing typed."""
    piece = View(text="checkpoint <b>", is_match=True)
    hits = [
        View(kind=kind, locale=each, url="/vi/quizzes/x#y", title=[piece], within=within, snippet=[piece])
        for kind, each, within in (("guide", Locale(locale), "Guide"), ("item", Locale.HI, "क्विज़"))
    ] + [View(kind="quiz", locale=Locale.VI, url="/vi/quizzes/x", title=[piece], within="", snippet=[])]
    found = View(hits=hits, count=23, page=2, page_count=3, word_count=2, word_total=3)
    none = View(hits=[], count=0, page=1, page_count=0, word_count=0, word_total=1)
    ways = {"earlier": "/en/search?q=a", "later": "/en/search?q=a&page=3"}
    no_ways = {"earlier": None, "later": None}
    guides = {"A guide": [View(url="/en/quizzes/x/guide#y", title="Why")]}
    page = "banks/search.html"
    return {
        "search": (page, {"query": 'a "quoted" <b>', "results": found, "guides": {}} | ways),
        "search-none": (page, {"query": "a", "results": none, "guides": guides} | no_ways),
        "search-empty": (page, {"query": "", "results": none, "guides": {}} | no_ways),
    }


def guides(locale: str, quiz: View, fields: list[View]) -> dict[str, tuple[str, dict[str, Any]]]:
    """A guide with a live demo, in the reader's language and in another; a live demo alone, sound and not."""
    path = "/en/quizzes/gradient-checkpointing/guide"
    block = View(name="spacing", demo=DEMO, params=View())
    region = View(
        **panel(evidence())
        | {"params": View(to_json=lambda: RESULT["params"]), "run": run(), "region": "-spacing"}
    )
    live = View(block=block, url=f"{path}/demos/spacing", fields=fields, panel=region, problem=None)
    refused = View(**vars(live) | {"panel": None, "problem": "depth must be between 8 and 32."})

    def guide(language: Locale) -> dict[str, Any]:
        words = GuideWording(language, QUIZ_TEXTS[locale]["title"], GUIDE)
        prose = [
            PartView("prose", html=part.html(get_language(Locale(locale)), {}))
            for part in words.document.parts
            if isinstance(part, Prose)
        ]
        questions = PartView("questions", questions=(QuestionLink(3, QUIZ_TEXTS[locale]["stem"]),))
        parts = [prose[0], View(kind="live", live=live), *prose[1:], questions]
        contents = list_contents(words)
        return {"quiz": quiz, "guide": words, "contents": contents, "parts": parts, "is_measuring": True}

    alone = {"guide": View(title="A guide"), "guide_url": path}
    other = Locale.EN if locale != "en" else Locale.HI
    return {
        "guide": ("banks/guide.html", guide(Locale(locale))),
        "guide-untranslated": ("banks/guide.html", guide(other)),
        "guide-demo": ("banks/guide_demo.html", {"live": live} | alone),
        "guide-demo-refused": ("banks/guide_demo.html", {"live": refused} | alone),
    }


def pages(locale: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """Every state of every page: a name, the template, its context."""
    text = QUIZ_TEXTS[locale]
    card = View(
        slug="gradient-checkpointing",
        title=text["title"],
        description=text["description"],
        level="intermediate",
        question_count=8,
    )
    section = View(anchor="kept", heading="What is kept")
    preview = [
        View(stem=text["stem"], options=text["options"], section=each) for each in (section, None, None)
    ]
    quiz = View(**vars(card), has_guide=True, questions=preview)
    line = View(
        number=1,
        stem=text["stem"],
        chosen_text=text["options"][0],
        key_text=text["options"][0],
        is_right=True,
        section=None,
    )
    wrong = View(
        **vars(line) | {"section": section, "number": 2, "chosen_text": text["options"][1], "is_right": False}
    )
    skipped = View(**vars(line) | {"number": 3, "chosen_text": None, "is_right": None})
    result = View(
        attempt_id="x1",
        quiz_slug="gradient-checkpointing",
        quiz_title=text["title"],
        score=1.0,
        total=3,
        started_at=NOW - timedelta(minutes=9, seconds=12),
        finished_at=NOW,
        questions=[line, wrong, skipped],
    )
    fields = [
        View(name="depth", label="layers", value=16, low=4, high=64, options=None, error=None),
        View(
            name="segments",
            label="segments",
            value=99,
            low=1,
            high=64,
            options=None,
            error="segments must be between 1 and 64.",
        ),
        View(
            name="mode",
            label="mode",
            value="plain",
            low=None,
            high=None,
            options=("plain", "nested"),
            error=None,
        ),
    ]
    answered = question(locale, chosen="0")
    found = {
        "home": (
            "banks/home.html",
            {
                "quizzes": [card, View(**vars(card) | {"slug": "other"})],
                "open_attempts": {card.slug: summary(locale, finished=False)},
            },
        ),
        "home-empty": ("banks/home.html", {"quizzes": [], "open_attempts": {}}),
        "quiz": ("banks/quiz.html", {"quiz": quiz, "open_attempt": None}),
        "quiz-open": ("banks/quiz.html", {"quiz": quiz, "open_attempt": summary(locale, finished=False)}),
        **guides(locale, quiz, fields),
        "question": ("attempts/question.html", {"question": question(locale)}),
        "question-problem": (
            "attempts/question.html",
            {"question": question(locale, selected="1"), "problem": text["feedback"]},
        ),
        "closed-problem": (
            "attempts/question.html",
            {"question": question(locale, closed=True), "problem": text["feedback"]}
            | panel(evidence("oplog")),
        ),
        "answered-right": ("attempts/question.html", {"question": answered} | panel(evidence())),
        "answered-wrong": (
            "attempts/question.html",
            {"question": question(locale, chosen="3")} | panel(evidence("bars")),
        ),
        "answered-stale": (
            "attempts/question.html",
            {"question": answered} | panel(evidence("curve", is_fresh=False, is_here=False, worker=None)),
        ),
        "answered-imported": (
            "attempts/question.html",
            {"question": answered} | panel(evidence(measurement=imported(), is_fresh=False, is_here=False)),
        ),
        "answered-elsewhere": (
            "attempts/question.html",
            {"question": answered} | panel(evidence(elsewhere=imported())),
        ),
        "answered-unmeasured": (
            "attempts/question.html",
            {"question": answered} | panel(evidence(measured=False)),
        ),
        "answered-loading": (
            "attempts/question.html",
            {"question": answered, "run": None} | panel(None),
        ),
        "answered-plain": (
            "attempts/question.html",
            {
                "question": question(
                    locale, chosen="0", can_finish=True, next_number=None, explanation=text["feedback"]
                )
            },
        ),
        "closed": (
            "attempts/question.html",
            {"question": question(locale, closed=True)} | panel(evidence("oplog")),
        ),
        "result": ("attempts/result.html", {"result": result}),
        "list": (
            "attempts/list.html",
            {"attempts": [summary(locale, finished=False), summary(locale, finished=True)]},
        ),
        "list-empty": ("attempts/list.html", {"attempts": []}),
        **searches(locale),
        "lab": ("demos/lab.html", {"demos": [DEMO, DEMO]}),
        "lab-empty": ("demos/lab.html", {"demos": []}),
        "demo": ("demos/demo.html", {"fields": fields} | panel(evidence("table"))),
        "evidence": (
            "demos/evidence.html",
            panel(evidence(), run()) | {"explanation": text["explanation"], "back_url": "/"},
        ),
        "run-queued": (
            "demos/run.html",
            {"run": run(status="queued", position=4, fraction=0.0), "return_to": "/en/"},
        ),
        "run-open": ("demos/run.html", {"run": run(message="forward"), "return_to": "/en/"}),
        "run-worker-down": ("demos/run.html", {"run": run(failure_code="worker_down"), "return_to": "/en/"}),
        "run-done": ("demos/run.html", {"run": run(status="done", is_open=False), "return_to": "/en/"}),
        "error": (
            "shared/error.html",
            {"error": View(status=404, message="There is no question {number} here.", values={"number": 99})},
        ),
    }
    for code in (
        "timed_out",
        "out_of_memory",
        "queue_full",
        "cancelled",
        "failed",
        "worker_down",
        "rate_limited",
    ):
        found[f"failed-{code}"] = (
            "demos/evidence.html",
            panel(evidence("bars"), failed(code)) | {"explanation": None, "back_url": "/"},
        )
    return found
