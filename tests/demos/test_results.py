from hypothesis import given
from hypothesis import strategies as st

from app.demos.meter import Meter
from app.demos.results import Point, thin, timeline
from app.demos.spec import Phase
from tests.demos.test_meter import new

points = st.lists(st.integers(0, 1000), max_size=600).map(
    lambda values: [(index, "forward", live) for index, live in enumerate(values)]
)


@given(points, st.sampled_from([2, 10, 240]))
def test_thinning_keeps_the_order_the_peak_and_the_trough(whole: list[Point], most: int) -> None:
    kept = thin(whole, most)
    assert len(kept) <= most
    assert kept == sorted(kept)
    assert set(kept) <= set(whole)
    if whole:
        lives, kept_lives = [point[2] for point in whole], [point[2] for point in kept]
        assert (max(lives), min(lives)) == (max(kept_lives), min(kept_lives))


def test_a_timeline_has_a_point_for_each_operator() -> None:
    with Meter() as meter:
        x = new()
        meter.enter(Phase.BACKWARD)
        x = x + x
    assert timeline(meter.count()) == [(0, "forward", 1024), (1, "backward", 2048)]
