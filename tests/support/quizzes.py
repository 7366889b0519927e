"""Small quizzes for tests, as a folder of files like `quizzes/`."""

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from sqlalchemy import Engine

from app.banks import loader
from app.core.db import make_engine, writing
from app.core.settings import Settings

Data = dict[str, Any]


def in_all(text: str) -> dict[str, str]:
    """One text in three languages that can be told apart."""
    return {"en": text, "hi": f"{text} हि", "vi": f"{text} tiếng Việt"}


def item_data(slug: str, key: str = "a", options: str = "abcd") -> Data:
    """A question with options named by letters."""
    return {
        "id": slug,
        "type": "single_choice",
        "key": key,
        "stem": in_all(f"Stem of {slug}?"),
        "options": [
            {"id": each, "text": in_all(f"Option {each}"), "feedback": in_all(f"Feedback {each}")}
            for each in options
        ],
        "explanation": in_all(f"Why {slug}."),
    }


def quiz_data(items: int = 3) -> Data:
    """A quiz of `items` questions; the keys run a, b, c, d and begin again."""
    return {
        "format": 1,
        "slug": "small",
        "level": "beginner",
        "locales": ["en", "hi", "vi"],
        "title": in_all("Small quiz"),
        "description": in_all("A quiz for tests."),
        "items": [item_data(f"item-{n}", "abcd"[n % 4]) for n in range(items)],
    }


def with_evidence(data: Data) -> Data:
    """The quiz with a demo on its first item, and a measured number in the explanation."""
    data = copy.deepcopy(data)
    data["items"][0]["evidence"] = {
        "demo": "trade",
        "params": {"depth": 8, "segments": 2},
        "expect": [{"metric": "segments.peak_bytes", "is": "<", "of": "plain.peak_bytes"}],
    }
    data["items"][0]["explanation"] = in_all("It kept {{segments.peak_bytes}} at the peak.")
    return data


BLOCK = "```demo\nname: spacing\nid: trade\nparams:\n  depth: 8\n  segments: 2\n```"
GUIDE = {
    "en": f"""# A small guide

How memory goes, $2\\sqrt{{n}}$.

## What is kept {{#kept}}

{BLOCK}

It kept {{{{spacing:segments.peak_bytes}}}} at the peak.

## Where from {{#sources}}

From a paper.
""",
    "hi": f"""# एक छोटी गाइड

मेमोरी कैसे खर्च होती है, $2\\sqrt{{n}}$।

## क्या रखा जाता है {{#kept}}

{BLOCK}

पीक पर {{{{spacing:segments.peak_bytes}}}} रखे गए।

## कहाँ से {{#sources}}

एक शोधपत्र से।
""",
    "vi": f"""# Hướng dẫn nhỏ

Bộ nhớ đi đâu, $2\\sqrt{{n}}$.

## Những gì được giữ {{#kept}}

{BLOCK}

Lúc đỉnh giữ {{{{spacing:segments.peak_bytes}}}}.

## Từ đâu {{#sources}}

Từ một bài báo.
""",
}


def with_guide(data: Data, folder: Path, texts: Mapping[str, str] = GUIDE) -> Data:
    """The quiz with a guide, whose files are written where its own will be."""
    data = copy.deepcopy(data) | {"guide": "guide"}
    home = folder / str(data["slug"])
    home.mkdir(parents=True, exist_ok=True)
    for locale, text in texts.items():
        (home / f"guide.{locale}.md").write_text(text, encoding="utf-8")
    return data


def write_quiz(folder: Path, data: Data) -> Path:
    """Write `quiz.yaml` into a folder of its own below `folder`."""
    path = folder / str(data["slug"]) / "quiz.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return path


def load_quiz(engine: Engine, folder: Path, data: Data) -> list[loader.Loaded]:
    """Write the quiz below `folder`, and load that folder."""
    write_quiz(folder, data)
    sources = loader.read_all(folder)
    with writing(engine) as session:
        return loader.load_all(session, sources)


def prepare_quiz(settings: Settings, folder: Path, data: Data) -> None:
    """The same for a database that nobody has opened yet."""
    engine = make_engine(settings.app_database_url)
    load_quiz(engine, folder, data)
    engine.dispose()
