import json
from typing import Any

import pytest
import torch

from app.demos.catalog import all_demos
from app.demos.harness import ExperimentError, UnknownDemoError, _declared_metrics, measure
from app.demos.results import Result
from app.demos.spec import ParamError, Phase
from tests.demos.measured import measured

DEMOS = sorted(all_demos())
PICTURES = {
    "timeline": set(),
    "bars": {"unit", "bars"},
    "curve": {"x", "y", "log", "series"},
    "oplog": {"columns"},
    "table": {"columns", "rows"},
}
UNITS = {"x_unit", "y_unit"}  # of a curve, where they are not plain numbers
UNMEASURED = {
    "schedules": {"ilp.optimal_flops", "ilp.tight_flops"}
}  # the exact solver takes 8 layers at most
ON_RANKS = {"fsdp", "both"}  # variants whose storages are resized behind the Meter's back


def list_counted(demo_id: str) -> list[dict[str, Any]]:
    return [each for each in measured(demo_id)["variants"] if each["id"] not in ON_RANKS]


@pytest.mark.parametrize("demo_id", DEMOS)
class TestEveryDemo:
    def test_every_declared_metric_is_measured(self, demo_id: str) -> None:
        metrics = measured(demo_id)["metrics"]
        assert list(metrics) == [metric.id for metric in all_demos()[demo_id].metrics]
        assert {name for name, value in metrics.items() if value is None} == UNMEASURED.get(demo_id, set())
        units = {metric.id: metric.unit for metric in all_demos()[demo_id].metrics}
        for name, value in metrics.items():
            if value is None:
                continue
            assert isinstance(value, bool) == (units[name] == "boolean"), name
            if units[name] in {"bytes", "count", "flops"}:
                assert isinstance(value, int), name

    def test_the_result_survives_json(self, demo_id: str) -> None:
        result = measured(demo_id)
        assert json.loads(json.dumps(result, allow_nan=False)) == result

    def test_the_variants_are_the_declared_ones_with_every_quantity(self, demo_id: str) -> None:
        variants = measured(demo_id)["variants"]
        assert [each["id"] for each in variants] == [each.id for each in all_demos()[demo_id].variants]
        assert [each["time_ratio"] is None for each in variants] == [
            each is variants[0] or each["id"] in ON_RANKS for each in variants
        ]
        for each in variants:
            assert set(each["flops"]) == set(each["ops"]) == {phase.value for phase in Phase}
            assert each["allocator_peak_bytes"] > 0
            assert each["reserved_bytes"] is None
            if each["id"] in ON_RANKS:
                continue
            assert each["step_ms"]["n"] == 20
            assert each["saved_bytes"] <= each["peak_bytes"]

    def test_the_prediction_is_what_was_measured(self, demo_id: str) -> None:
        for each in list_counted(demo_id):
            keys = ("saved_bytes", "peak_bytes")
            assert each["predicted"] == {key: each[key] for key in keys}, each["id"]

    def test_the_timeline_reaches_the_peak(self, demo_id: str) -> None:
        for each in list_counted(demo_id):
            assert 0 < len(each["timeline"]) <= 240
            assert max(live for _, _, live in each["timeline"]) == each["peak_bytes"]

    def test_the_picture_is_the_declared_one(self, demo_id: str) -> None:
        demo, picture = all_demos()[demo_id], measured(demo_id)["picture"]
        assert picture["kind"] == demo.picture
        assert set(picture) - {"kind"} - UNITS == PICTURES[demo.picture]
        variants = {variant.id for variant in demo.variants}
        for bar in picture.get("bars", []):
            assert set(bar) == {"label", "group", "phase", "value"}
            assert bar["group"] in variants
            assert bar["phase"] in set(Phase)

    def test_the_provenance_says_how_it_was_measured(self, demo_id: str) -> None:
        provenance = measured(demo_id)["provenance"]
        assert provenance["device_class"] == "cpu"
        assert provenance["dtype"] == "float32"
        assert (provenance["threads"], provenance["seed"]) == (1, 0)
        assert (provenance["warmups"], provenance["repeats"]) == (3, 20)
        for on_cuda_only in ("capability", "driver", "cuda", "tf32"):
            assert provenance[on_cuda_only] is None


class TestMeasuring:
    def test_progress_rises_and_the_settings_are_given_back(self) -> None:
        heard: list[tuple[float, str]] = []
        torch.set_num_threads(2)
        random_state = torch.get_rng_state()
        measure(
            "replay",
            {"width": "16", "batch": 8},
            progress=lambda fraction, message: heard.append((fraction, message)),
        )
        fractions = [fraction for fraction, _ in heard]
        assert fractions == sorted(fractions)
        assert (fractions[0], fractions[-1]) == (0.0, 1.0)
        assert len({message for _, message in heard}) >= 5
        assert torch.get_num_threads() == 2
        assert torch.equal(torch.get_rng_state(), random_state)

    def test_an_unknown_demo_and_a_bad_parameter_are_refused(self) -> None:
        with pytest.raises(UnknownDemoError):
            measure("alchemy", {})
        with pytest.raises(ParamError):
            measure("trade", {"segments": 9})
        with pytest.raises(ParamError, match="multiple of 3"):
            measure("selective", {"heads": 3})

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"layers": None}, "did not measure layers"),
            ({"surprise": 1}, "does not declare surprise"),
            ({"layers": float("nan")}, "no finite number for layers"),
        ],
    )
    def test_a_metric_that_is_not_as_declared_stops_the_run(
        self, change: dict[str, Any], message: str
    ) -> None:
        demo = all_demos()["saved-activations"]
        metrics = {**measured(demo.id)["metrics"], **change}
        if metrics["layers"] is None:
            del metrics["layers"]
        with pytest.raises(ExperimentError, match=message):
            _declared_metrics(demo, Result({}, metrics, {"kind": "bars"}))
