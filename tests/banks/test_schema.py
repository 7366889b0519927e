import json

import yaml

from app.cli import schema_text
from app.core.settings import ROOT


def test_the_published_schema_is_the_one_that_the_loader_holds() -> None:
    """When it fails: `./rematch schema > quizzes/quiz.schema.json`."""
    assert (ROOT / "quizzes" / "quiz.schema.json").read_text(encoding="utf-8") == schema_text()


def test_every_field_of_our_own_quizzes_is_in_the_schema() -> None:
    schema = json.loads(schema_text())
    item_fields = set(schema["$defs"]["ItemForm"]["properties"])
    for path in sorted((ROOT / "quizzes").glob("*/quiz.yaml")):
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert set(data) <= set(schema["properties"])
        assert all(set(item) <= item_fields for item in data["items"])
