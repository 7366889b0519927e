from tests.demos.measured import measured

ACTIVATION = 64 * 128 * 4


def metrics() -> dict[str, float]:
    found: dict[str, float] = measured("rng")["metrics"]
    return found


def test_with_the_state_preserved_the_same_mask_is_drawn() -> None:
    assert metrics()["preserved.mask_agreement"] == 1.0
    assert metrics()["preserved.gradients_equal"] is True
    assert metrics()["preserved.gradient_difference"] == 0.0


def test_without_it_chance_decides_and_the_gradients_are_wrong() -> None:
    assert 0.4 < metrics()["not_preserved.mask_agreement"] < 0.6
    assert metrics()["not_preserved.gradients_equal"] is False
    assert metrics()["not_preserved.gradient_difference"] > 0.1 * metrics()["plain.gradient_largest"]


def test_plain_keeps_the_mask_and_what_dropout_made() -> None:
    assert metrics()["plain.saved_bytes"] == 2 * ACTIVATION + 4
    assert metrics()["preserved.saved_bytes"] == metrics()["not_preserved.saved_bytes"] == 4


def test_the_recomputation_stops_before_the_last_product() -> None:
    product = 2 * 64 * 128 * 128
    assert metrics()["preserved.recompute_flops"] == product
    assert metrics()["plain.flops"] == (2 + 3) * product
