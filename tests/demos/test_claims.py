import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.demos.claims import RELATIONS, Claim, ClaimError, Outcome, parse_claim

METRICS = {"plain.peak_bytes": 1000, "segments.peak_bytes": 500, "equal": True, "ratio": 2.0, "unknown": None}
finite = st.floats(allow_nan=False, allow_infinity=False, width=32)


def outcome(**source: object) -> Outcome:
    return parse_claim(source).evaluate(METRICS).outcome


class TestEvaluating:
    def test_a_metric_is_held_against_a_value(self) -> None:
        assert outcome(metric="ratio", **{"is": ">="}, value=2) is Outcome.HOLDS
        assert outcome(metric="ratio", **{"is": ">"}, value=2) is Outcome.FAILS

    def test_a_metric_is_held_against_a_multiple_of_another(self) -> None:
        claim = {"metric": "segments.peak_bytes", "is": "<=", "of": "plain.peak_bytes"}
        assert outcome(**claim, times=0.5) is Outcome.HOLDS
        assert outcome(**claim, times=0.4) is Outcome.FAILS

    def test_truth_is_not_a_number(self) -> None:
        assert outcome(metric="equal", **{"is": "=="}, value=True) is Outcome.HOLDS
        assert outcome(metric="equal", **{"is": "=="}, value=1) is Outcome.FAILS
        assert outcome(metric="ratio", **{"is": "!="}, value=False) is Outcome.FAILS

    @pytest.mark.parametrize("metric", ["unknown", "absent"])
    def test_what_was_not_measured_neither_holds_nor_fails(self, metric: str) -> None:
        assert outcome(metric=metric, **{"is": "=="}, value=0) is Outcome.NOT_MEASURED
        assert outcome(metric="ratio", **{"is": "=="}, of=metric) is Outcome.NOT_MEASURED

    @given(finite, finite, st.sampled_from(sorted(RELATIONS)))
    def test_a_relation_is_what_python_says_it_is(self, left: float, right: float, relation: str) -> None:
        found = Claim("a", relation, of="b").evaluate({"a": left, "b": right})
        assert (found.outcome is Outcome.HOLDS) == RELATIONS[relation](left, right)
        assert (found.measured, found.bound) == (left, right)

    @given(finite, finite)
    def test_of_two_opposite_claims_exactly_one_holds(self, left: float, right: float) -> None:
        for relation, opposite in (("<", ">="), (">", "<="), ("==", "!=")):
            findings = [
                Claim("a", each, value=right).evaluate({"a": left}).outcome for each in (relation, opposite)
            ]
            assert sorted(findings) == [Outcome.FAILS, Outcome.HOLDS]


class TestWords:
    def test_a_finding_reads_as_a_line(self) -> None:
        claim = parse_claim(
            {"metric": "segments.peak_bytes", "is": "<=", "of": "plain.peak_bytes", "times": 0.6}
        )
        assert str(claim) == "segments.peak_bytes <= 0.6 x plain.peak_bytes"
        assert str(claim.evaluate(METRICS)) == f"{claim}: holds (500 <= 600)"

    def test_what_is_missing_shows_as_a_dash(self) -> None:
        claim = parse_claim({"metric": "equal", "is": "==", "value": True})
        assert str(claim.evaluate({})) == "equal == true: not measured (- == true)"


class TestParsing:
    @given(st.sampled_from(sorted(RELATIONS)), finite)
    def test_what_the_loader_stores_is_read_back(self, relation: str, value: float) -> None:
        stored = {"metric": "a.b", "is": relation, "value": value, "of": None, "times": 1.0}
        assert parse_claim(stored) == Claim("a.b", relation, value=value)

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ({"is": "==", "value": 1}, "metric: the id of a metric is missing"),
            ({"metric": "a", "is": "=", "value": 1}, "is: must be one of == != < <= > >="),
            ({"metric": "a", "is": ["=="], "value": 1}, "is: must be one of"),
            ({"metric": "a", "is": "=="}, "give either value or of"),
            ({"metric": "a", "is": "==", "value": 1, "of": "b"}, "give either value or of"),
            ({"metric": "a", "is": "==", "value": "1"}, "value: must be a finite number"),
            ({"metric": "a", "is": "==", "value": float("nan")}, "value: must be a finite number"),
            ({"metric": "a", "is": "<", "value": True}, "is: true and false can only be == or !="),
            ({"metric": "a", "is": "==", "of": 3}, "of: must be the id of a metric"),
            ({"metric": "a", "is": "==", "of": "b", "times": "2"}, "times: must be a finite number"),
            ({"metric": "a", "is": "==", "value": 1, "times": 2}, "times: only goes with of"),
            ({"metric": "a", "is": "==", "value": 1, "than": 2}, "a claim has no than"),
        ],
    )
    def test_a_malformed_claim_says_what_is_wrong(self, source: dict[str, object], message: str) -> None:
        with pytest.raises(ClaimError, match=message):
            parse_claim(source)

    @given(
        st.dictionaries(
            st.sampled_from(["metric", "is", "value", "of", "times", "x"]),
            st.sampled_from(["", "a", "==", "<"]) | finite | st.booleans() | st.none(),
        )
    )
    def test_nothing_else_than_a_claim_error_is_raised(self, source: dict[str, object]) -> None:
        try:
            claim = parse_claim(source)
        except ClaimError:
            return
        assert claim.evaluate({}).outcome is Outcome.NOT_MEASURED
