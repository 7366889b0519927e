import pytest
from torch import nn

from app.demos.catalog.saved_activations.experiment import build
from app.demos.catalog.saved_activations.spec import Params
from app.demos.meter import Count
from app.demos.spec import Phase
from tests.demos.measured import make_lab, measured


def count(activation: type[nn.Module], *, trains: bool = True, **params: int) -> Count:
    return make_lab().count(lambda: build(Params(**params), activation, trains=trains))


class TestWhatIsKept:
    """One activation is u = 4 * 64 * 256 = 65,536 bytes; the loss adds 4."""

    def test_relu_keeps_one_activation_a_layer(self) -> None:
        kept = count(nn.ReLU)
        assert kept.saved_bytes == 1_048_576 + 4
        assert kept.saved_by_op == {"aten.relu": 16 * 65_536, "aten.mean": 4}

    def test_gelu_keeps_two_but_for_the_last_output(self) -> None:
        kept = count(nn.GELU)
        assert kept.saved_bytes == (2 * 16 - 1) * 65_536 + 4
        assert kept.saved_by_op == {"aten.addmm": 16 * 65_536, "aten.gelu": 15 * 65_536, "aten.mean": 4}

    def test_without_gradients_only_the_loss_stays(self) -> None:
        assert count(nn.ReLU, trains=False).saved_bytes == 4

    @pytest.mark.parametrize("depth", [2, 5, 16])
    @pytest.mark.parametrize("batch", [8, 24])
    def test_it_grows_with_depth_and_batch(self, depth: int, batch: int) -> None:
        u = 4 * batch * 32
        sizes = {"depth": depth, "batch": batch, "width": 32}
        assert count(nn.ReLU, **sizes).saved_bytes == depth * u + 4
        assert count(nn.GELU, **sizes).saved_bytes == (2 * depth - 1) * u + 4

    def test_the_width_counts_in_activations_not_in_parameters(self) -> None:
        assert count(nn.ReLU, width=512).saved_bytes - 4 == 2 * (count(nn.ReLU).saved_bytes - 4)


def test_a_backward_pass_costs_two_forward_passes_less_the_first_input_gradient() -> None:
    product = 2 * 64 * 256 * 256
    flops = count(nn.ReLU).flops()
    assert flops[Phase.FORWARD] == 16 * product
    assert flops[Phase.BACKWARD] == (2 * 16 - 1) * product
    assert flops[Phase.RECOMPUTE] == 0


def test_the_result_says_so() -> None:
    metrics = measured("saved-activations")["metrics"]
    assert metrics["relu.saved_bytes"] == 1_048_580
    assert metrics["gelu.saved_bytes"] == 2_031_620
    assert metrics["no_grad.saved_bytes"] == 4
    assert metrics["activation_bytes"] == 65_536
    assert metrics["layers"] == 16
