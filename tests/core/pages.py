"""Fixture contexts for every page, as VIEW shapes: what the templates are drawn from in tests."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace as View
from typing import Any

from app.demos.spec import Demo, Metric, Params, Phase, VariantSpec, bounded, choice

NOW = datetime.now(UTC)
UNIT = 65_536  # bytes of one activation


@dataclass(frozen=True, slots=True)
class TradeParams(Params):
    depth: int = bounded(16, low=4, high=64, label="layers")
    segments: int = bounded(4, low=1, high=64, label="segments")
    mode: str = choice("plain", ("plain", "nested"), label="mode")


DEMO = Demo(
    id="trade",
    title="Memory for compute",
    summary="A chain of layers is trained for one step: plain, as one checkpoint, and in segments.",
    finding="In segments the peak is {{segments.peak_bytes}} in place of {{plain.peak_bytes}}, "
    "and the step computes {{segments.flops_ratio}} as much.",
    params=TradeParams,
    variants=(
        VariantSpec("plain", "plain"),
        VariantSpec("whole", "one checkpoint"),
        VariantSpec("segments", "segments"),
    ),
    metrics=(
        Metric("plain.peak_bytes", "bytes", "peak, plain"),
        Metric("segments.peak_bytes", "bytes", "peak, segments"),
        Metric("segments.peak_saving", "ratio", "saving"),
        Metric("segments.flops_ratio", "ratio", "work"),
    ),
    picture="timeline",
)


def timeline(checkpoint: int) -> list[list[Any]]:
    """A rising and falling line like a chain's; `checkpoint` layers are kept for each that is recomputed."""
    points: list[list[Any]] = []
    live = 0
    for layer in range(16):
        live += UNIT if layer % checkpoint == 0 else 0
        points.append([len(points), Phase.FORWARD.value, live + UNIT])
    for layer in reversed(range(16)):
        if checkpoint > 1 and layer % checkpoint == checkpoint - 1:
            for step in range(checkpoint):
                points.append([len(points), Phase.RECOMPUTE.value, live + step * UNIT])
        points.append([len(points), Phase.BACKWARD.value, max(UNIT, live + (layer % checkpoint) * UNIT)])
        live -= UNIT if layer % checkpoint == 0 else 0
    points.append([len(points), Phase.OPTIMIZER.value, 0])
    return points


def variant(name: str, *, saved: int, peak: int, recompute: int, checkpoint: int) -> dict[str, Any]:
    first = name == "plain"
    return {
        "id": name,
        "saved_bytes": saved,
        "peak_bytes": peak,
        "gradient_bytes": 4_194_304,
        "parameter_bytes": 4_194_304,
        "state_bytes": 0,
        "allocator_peak_bytes": peak + 4096,
        "reserved_bytes": None,
        "flops": {"forward": 134_217_728, "recompute": recompute, "backward": 268_435_456, "optimizer": 0},
        "ops": {"forward": 33, "recompute": 0, "backward": 66, "optimizer": 0},
        "step_ms": {"median": 4.21, "p10": 4.02, "p90": 5.13, "n": 20},
        "time_ratio": None if first else {"median": 1.28, "p10": 1.2, "p90": 1.4, "n": 20},
        "gradients_equal": None if first else True,
        "predicted": {"saved_bytes": saved, "peak_bytes": peak},
        "timeline": timeline(checkpoint),
    }


PROVENANCE: dict[str, Any] = {
    "device_class": "cpu",
    "device_name": "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz",
    "capability": None,
    "driver": None,
    "torch": "2.13.0+cpu",
    "cuda": None,
    "dtype": "float32",
    "tf32": None,
    "sdpa": "math",
    "threads": 1,
    "seed": 0,
    "harness_version": 1,
    "host": "quiz",
    "python": "3.11.7",
    "started_at": NOW.isoformat(),
    "duration_ms": 812,
    "warmups": 3,
    "repeats": 20,
    "shared_device": False,
}

RESULT: dict[str, Any] = {
    "demo": "trade",
    "params": {"depth": 16, "segments": 4, "mode": "plain"},
    "variants": [
        variant("plain", saved=16 * UNIT + 4, peak=18 * UNIT, recompute=0, checkpoint=1),
        variant("whole", saved=4, peak=18 * UNIT, recompute=134_217_728, checkpoint=16),
        variant("segments", saved=7 * UNIT + 4, peak=9 * UNIT, recompute=100_663_296, checkpoint=4),
    ],
    "metrics": {
        "plain.peak_bytes": 18 * UNIT,
        "segments.peak_bytes": 9 * UNIT,
        "segments.peak_saving": 2.0,
        "segments.flops_ratio": 1.25,
    },
    "picture": {"kind": "timeline"},
    "provenance": PROVENANCE,
}

PICTURES: dict[str, dict[str, Any]] = {
    "timeline": {"kind": "timeline"},
    "bars": {
        "kind": "bars",
        "unit": "bytes",
        "bars": [
            {"label": "parameters", "group": "plain", "phase": "optimizer", "value": 4_194_304},
            {"label": "aten.relu", "group": "plain", "phase": "forward", "value": 1_048_576},
            {
                "label": "aten.native_dropout_backward.default.out",
                "group": "plain",
                "phase": "backward",
                "value": 65536,
            },
            {"label": "aten.relu", "group": "segments", "phase": "recompute", "value": 262_144},
            {"label": "aten.gelu", "group": "segments", "phase": "forward", "value": None},
        ],
    },
    "curve": {
        "kind": "curve",
        "x": "layers",
        "y": "at the peak",
        "y_unit": "bytes",
        "log": True,
        "series": [
            {"id": "plain", "label": "plain", "points": [[n, n * UNIT] for n in (16, 36, 64, 144, 256, 400)]},
            {
                "id": "sqrt",
                "label": "segments",
                "points": [[n, 2 * n**0.5 * UNIT] for n in (16, 36, 64, 144, 256, 400)],
            },
        ],
    },
    "oplog": {
        "kind": "oplog",
        "columns": [
            {
                "id": name,
                "label": name,
                "rows": [
                    {"phase": "forward", "op": "aten.native_batch_norm", "bytes": 65536},
                    {"phase": "recompute", "op": "aten.native_batch_norm", "bytes": 65536},
                    {"phase": "backward", "op": "aten.native_batch_norm_backward", "bytes": None},
                    {"phase": "optimizer", "op": "aten._foreach_add_", "bytes": 0},
                ],
            }
            for name in ("plain", "segments")
        ],
    },
    "table": {
        "kind": "table",
        "columns": ["variant", "value"],
        "rows": [["plain", 1.0], ["segments", 0.53], ["none", None]],
    },
}


def evidence(picture: str = "timeline", *, measured: bool = True, **changes: Any) -> View:
    result = RESULT | {"picture": PICTURES[picture]}
    measurement = View(id=1, result=result, measured_at=NOW - timedelta(minutes=2), device_class="cpu")
    worker = View(device_class="cpu", device_name=PROVENANCE["device_name"])
    fields = {
        "measurement": measurement if measured else None,
        "is_fresh": True,
        "is_here": True,
        "worker": worker,
    }
    return View(**fields | changes)


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


QUIZ_TEXTS = {
    "en": {
        "title": "Gradient checkpointing",
        "description": "What is recomputed, what that costs, and what `torch.utils.checkpoint` really keeps.",
        "stem": "What does gradient checkpointing mainly trade to save memory?",
        "options": [
            "Extra computation (recomputation) for lower memory use",
            "Model accuracy for speed",
            "Disk space for network bandwidth",
            "The precision of `float32` for a larger batch size, as `torch.autocast` does",
        ],
        "feedback": "Yes: what was not kept is computed again when `backward()` needs it.",
        "explanation": "With segments the peak fell from {{plain.peak_bytes}} to {{segments.peak_bytes}}, "
        "{{segments.peak_saving}} less, for {{segments.flops_ratio}} the work. The *results* are the same.",
    },
    "hi": {
        "title": "ग्रेडिएंट चेकपॉइंटिंग",
        "description": "क्या दोबारा गिना जाता है, उसकी क़ीमत क्या है, और `torch.utils.checkpoint` असल में क्या रखता है।",
        "stem": "मेमोरी बचाने के लिए ग्रेडिएंट चेकपॉइंटिंग मुख्य रूप से क्या देकर क्या पाती है?",
        "options": [
            "अतिरिक्त गणना (पुनर्गणना) देकर कम मेमोरी",
            "मॉडल की सटीकता देकर गति",
            "डिस्क की जगह देकर नेटवर्क बैंडविड्थ",
            "`float32` की परिशुद्धता देकर बड़ा बैच आकार, जैसा `torch.autocast` करता है",
        ],
        "feedback": "हाँ: जो नहीं रखा गया, वह `backward()` को ज़रूरत पड़ने पर दोबारा गिना जाता है।",
        "explanation": "खंडों में पीक {{plain.peak_bytes}} से घटकर {{segments.peak_bytes}} रह गया, यानी {{segments.peak_saving}} कम, "
        "और काम {{segments.flops_ratio}} हुआ। नतीजे *वही* रहे।",
    },
    "vi": {
        "title": "Checkpoint gradient",
        "description": "Phần nào được tính lại, giá phải trả là gì, và `torch.utils.checkpoint` thật sự giữ lại những gì.",
        "stem": "Để tiết kiệm bộ nhớ, checkpoint gradient chủ yếu đánh đổi điều gì?",
        "options": [
            "Tính toán thêm (tính lại) để dùng ít bộ nhớ hơn",
            "Độ chính xác của mô hình để lấy tốc độ",
            "Dung lượng đĩa để lấy băng thông mạng",
            "Độ chính xác `float32` để tăng kích thước lô, như `torch.autocast` làm",
        ],
        "feedback": "Đúng: phần không được giữ lại sẽ được tính lại khi `backward()` cần đến.",
        "explanation": "Khi chia đoạn, bộ nhớ đỉnh giảm từ {{plain.peak_bytes}} xuống {{segments.peak_bytes}}, ít hơn {{segments.peak_saving}}, "
        "với khối lượng tính toán gấp {{segments.flops_ratio}}. Kết quả *không đổi*.",
    },
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
    preview = [View(stem=text["stem"], options=text["options"])] * 3
    quiz = View(**vars(card), has_guide=True, questions=preview)
    line = View(
        number=1,
        stem=text["stem"],
        chosen_text=text["options"][0],
        key_text=text["options"][0],
        is_right=True,
    )
    wrong = View(**vars(line) | {"number": 2, "chosen_text": text["options"][1], "is_right": False})
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
        "guide": (
            "banks/guide.html",
            {"quiz": quiz, "guide": View(title=text["title"], body=GUIDE, locale=locale)},
        ),
        "question": ("attempts/question.html", {"question": question(locale)}),
        "question-problem": (
            "attempts/question.html",
            {"question": question(locale, selected="1"), "problem": text["feedback"]},
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
        "answered-unmeasured": (
            "attempts/question.html",
            {"question": answered} | panel(evidence(measured=False)),
        ),
        "answered-loading": (
            "attempts/question.html",
            {"question": answered, "run": None}
            | {"evidence": None, "evidence_url": "/en/never", "return_to": "/"},
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


GUIDE = """# Gradient checkpointing

A step keeps *activations* for backward.

## What is kept

Every layer keeps its input. In code:

```python
out = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
```

| variant | kept |
| --- | --- |
| plain | 16 |
| segments | 7 |

## What is computed twice

1. The forward of each segment.
2. Nothing else. See [the paper](https://arxiv.org/abs/1604.06174).

> A demonstration that was not predicted teaches nothing.
"""
