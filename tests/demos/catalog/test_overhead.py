"""Matrix products counted in units of one layer's: 2 B W^2 FLOPs."""

from functools import partial
from typing import Any

import pytest

from app.demos.catalog.overhead.experiment import build, list_variants
from app.demos.catalog.overhead.spec import MODELS, Params
from app.demos.meter import Count
from app.demos.models import run_plainly
from app.demos.spec import Phase
from tests.demos.measured import make_lab, measured

WIDTH, BATCH = 32, 16
SMALL = Params(width=WIDTH, batch=BATCH)
UNIT = 2 * BATCH * WIDTH**2
U = 4 * BATCH * WIDTH


def count_all(model: str) -> dict[str, Count]:
    return {each.id: make_lab().count(each.build) for each in list_variants(SMALL, model)}


def units(model: str) -> dict[str, float]:
    return {name: sum(each.flops().values()) / UNIT for name, each in count_all(model).items()}


def metrics() -> dict[str, Any]:
    found: dict[str, Any] = measured("overhead")["metrics"]
    return found


class TestTheOrderOfTwoLayers:
    def test_a_block_that_ends_in_relu_computes_its_products_again(self) -> None:
        assert units("linear_relu") == {"plain": 48, "checkpointed": 64, "no_early_stop": 64}

    def test_a_block_that_ends_in_a_product_is_spared_it_by_early_stop(self) -> None:
        assert units("relu_linear") == {"plain": 48, "checkpointed": 48, "no_early_stop": 64}

    @pytest.mark.parametrize("model", ["linear_relu", "relu_linear"])
    def test_both_keep_the_same(self, model: str) -> None:
        """One activation a layer, or one a block; the network's input is left out."""
        assert {name: each.saved_bytes for name, each in count_all(model).items()} == {
            "plain": 16 * U + 4,
            "checkpointed": 15 * U + 4,
            "no_early_stop": 15 * U + 4,
        }


@pytest.mark.parametrize(
    ("model", "forward", "recomputed"),
    [
        ("linear_relu", 16 * UNIT, 16 * UNIT),
        ("relu_linear", 16 * UNIT, 0),
        ("feed_forward", 2 * 8 * UNIT, 2 * 4 * UNIT),
        ("attention", 2 * (4 * UNIT + 4 * BATCH**2 * WIDTH), 2 * (3 * UNIT + 4 * BATCH**2 * WIDTH)),
        ("conv_norm", 2 * 2 * (BATCH // 8 * 64) * 9 * (WIDTH // 4) ** 2, 2 * 2 * (BATCH // 8 * 64) * 9 * 64),
    ],
)
class TestEveryModel:
    def test_early_stop_spares_a_last_product(self, model: str, forward: int, recomputed: int) -> None:
        counted = count_all(model)
        assert counted["checkpointed"].flops() == {
            Phase.FORWARD: forward,
            Phase.RECOMPUTE: recomputed,
            Phase.BACKWARD: 2 * forward,
            Phase.OPTIMIZER: 0,
        }
        assert counted["no_early_stop"].flops()[Phase.RECOMPUTE] == forward
        assert counted["plain"].flops()[Phase.RECOMPUTE] == 0


def test_no_fixed_share_holds_for_five_models() -> None:
    ratios = {model: metrics()[f"{model}.flops_ratio"] for model in MODELS}
    assert ratios["relu_linear"] == 1
    assert ratios["linear_relu"] == ratios["conv_norm"] == pytest.approx(4 / 3)
    assert ratios["feed_forward"] == pytest.approx(7 / 6)
    # s = 64 tokens of width h = 128: w = 8 s h^2 + 4 s^2 h, of which 2 s h^2 is spared
    assert ratios["attention"] == pytest.approx(1 + (8 * 128 + 4 * 64 - 2 * 128) / (8 * 128 + 4 * 64) / 3)
    assert metrics()["models"] == 5
    assert metrics()["models_between_20_and_30_percent"] == 1
    assert metrics()["flops_ratio_spread"] == pytest.approx(4 / 3)


def test_without_early_stop_every_model_computes_a_third_more() -> None:
    for model in MODELS:
        assert metrics()[f"{model}.no_early_stop_flops_ratio"] == pytest.approx(4 / 3)


def test_time_is_measured_for_every_model() -> None:
    times = [metrics()[f"{model}.time_ratio"] for model in MODELS]
    assert all(ratio > 0 for ratio in times)
    assert (metrics()["lowest_time_ratio"], metrics()["highest_time_ratio"]) == (min(times), max(times))


def test_gradients_are_equal_to_the_last_bit_and_not_zero() -> None:
    assert all(metrics()[f"{model}.gradients_equal"] for model in MODELS)
    for model in MODELS:
        gradients = make_lab().gradients(partial(build, SMALL, model, run_plainly))
        assert all(bool(gradient.any()) for gradient in gradients.values()), model


def test_the_picture_has_two_bars_a_model_and_one_without_early_stop() -> None:
    bars = measured("overhead")["picture"]["bars"]
    assert [bar["group"] for bar in bars] == ["checkpointed"] * 10 + ["no_early_stop"] * 5
    assert {bar["label"].split(":")[0] for bar in bars} == set(MODELS.values())
