import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel

from app.demos.meter import Count, Meter, unique_bytes
from app.demos.recompute import checkpoint
from app.demos.spec import Phase

KIB = 1024  # bytes of the 16 by 16 fp32 tensors here


def new() -> Tensor:
    return torch.ones(16, 16)


def count_training(model: nn.Module, x: Tensor, *, keep: list[Tensor] | None = None) -> Count:
    with Meter() as meter:
        meter.leave_out([*model.parameters(), *model.buffers(), x])
        out = model(x)
        if keep is not None:
            keep.append(out)
        loss = out.mean()
        del out
        meter.enter(Phase.BACKWARD)
        loss.backward()
        meter.leave_out(p.grad for p in model.parameters() if p.grad is not None)
    return meter.count()


class TestStorages:
    def test_a_storage_counts_once_however_many_views_it_has(self) -> None:
        with Meter() as meter:
            x = new()
            views = [x.t(), x.view(-1), x[3:], x.detach()]
        assert meter.count().peak_bytes == KIB
        assert len(views) == 4

    def test_a_view_pins_its_whole_storage(self) -> None:
        with Meter() as meter:
            row = new()[0]
        assert meter.count().saved_bytes == KIB
        assert row.numel() == 16

    def test_writing_in_place_adds_nothing(self) -> None:
        with Meter() as meter:
            new().add_(1).mul_(2)
        assert meter.count().peak_bytes == KIB

    def test_what_is_dropped_is_no_longer_counted(self) -> None:
        with Meter() as meter:
            x = new()
            for _ in range(50):  # addresses and numbers of objects are given away again
                x = x + 1
        count = meter.count()
        assert count.saved_bytes == KIB
        assert count.peak_bytes == 2 * KIB
        assert set(count.live_bytes[2:]) == {2 * KIB}

    def test_what_was_there_before_is_not_counted(self) -> None:
        x = new()
        with Meter() as meter:
            meter.leave_out([x])
            x.add_(1)
            del x
        assert meter.count().peak_bytes == 0

    def test_what_dies_after_the_meter_was_left_changes_nothing(self) -> None:
        with Meter() as meter:
            x = new()
        before = meter.count()
        del x
        assert meter.count() == before

    def test_a_block_rounds_each_storage_up(self) -> None:
        with Meter(block=512) as meter:
            kept = [torch.ones(1), torch.ones(129)]
        assert meter.count().saved_bytes == 512 + 1024
        assert len(kept) == 2

    def test_unique_bytes_counts_shared_storages_once(self) -> None:
        x = new()
        assert unique_bytes([x, x.t(), new()]) == 2 * KIB

    def test_fake_tensors_give_the_same_integers(self) -> None:
        def count() -> Count:
            return count_training(nn.Sequential(nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 16)), new())

        real = count()
        with FakeTensorMode():  # it asks fake tensors for their device and so on: the op logs differ
            fake = count()
        assert (fake.saved_bytes, fake.peak_bytes) == (real.saved_bytes, real.peak_bytes) == (KIB + 4, 3080)
        assert fake.flops() == real.flops()


class TestWhatIsLeftOut:
    def test_parameters_and_their_gradients_do_not_count(self) -> None:
        wide = nn.Linear(16, 1024, bias=False)  # parameter and gradient: 64 KiB each
        count = count_training(wide, torch.ones(1, 16))
        assert count.saved_bytes == 4  # the loss: Linear saves its input, which is left out
        assert count.peak_bytes == 4 * 1024 + 8  # the mean's gradient, the loss and its own

    def test_buffers_that_are_written_do_not_count(self) -> None:
        norm = nn.BatchNorm1d(16, affine=False)
        count = count_training(norm, new().requires_grad_())
        assert count.saved_bytes == 2 * 16 * 4 + 4  # the batch's statistics, and the loss

    def test_a_kept_reference_defeats_the_saving(self) -> None:
        class Whole(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.inner = nn.Sequential(nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh())

            def forward(self, x: Tensor) -> Tensor:
                out: Tensor = checkpoint(self.inner, x)
                return out

        assert count_training(Whole(), new()).saved_bytes == 4
        assert count_training(Whole(), new(), keep=[]).saved_bytes == KIB + 4


class TestOperators:
    def test_a_multiply_add_is_two_flops(self) -> None:
        with Meter() as meter:
            torch.mm(torch.ones(3, 5), torch.ones(5, 7))
            torch.addmm(torch.ones(7), torch.ones(3, 5), torch.ones(5, 7))
            torch.bmm(torch.ones(2, 3, 5), torch.ones(2, 5, 7))
        assert meter.count().flops()[Phase.FORWARD] == 2 * 3 * 5 * 7 * (1 + 1 + 2)

    def test_attention_on_a_cpu_counts_as_its_two_products(self) -> None:
        def count(backend: SDPBackend) -> Count:
            query, key, value = (torch.randn(2, 4, 8, 16, requires_grad=True) for _ in range(3))
            with sdpa_kernel(backend), Meter() as meter:
                out = nn.functional.scaled_dot_product_attention(query, key, value).sum()
                meter.enter(Phase.BACKWARD)
                out.backward()
            return meter.count()

        fused, by_hand = count(SDPBackend.FLASH_ATTENTION), count(SDPBackend.MATH)
        product = 2 * (2 * 4) * 8 * 8 * 16
        assert any("flash" in op.name for op in fused.ops)
        assert fused.flops()[Phase.FORWARD] == by_hand.flops()[Phase.FORWARD] == 2 * product
        assert by_hand.flops()[Phase.BACKWARD] == 4 * product
        assert fused.flops()[Phase.BACKWARD] == 5 * product  # the scores are computed again

    def test_views_are_logged_apart(self) -> None:
        with Meter() as meter:
            new().t().detach()[0]
        count = meter.count()
        assert count.op_counts()[Phase.FORWARD] == 1
        assert [op.name for op in count.list_ops(Phase.FORWARD)] == ["aten.ones"]
        assert sum(op.is_view for op in count.ops) == 3

    def test_operators_belong_to_the_phase_that_was_entered(self) -> None:
        model = nn.Linear(16, 16)
        count = count_training(model, new())
        phases = [op.phase for op in count.ops]
        assert phases == sorted(phases, key=list(Phase).index)
        assert {op.name for op in count.list_ops(Phase.FORWARD)} == {"aten.addmm", "aten.mean"}
        assert count.peak_phase is Phase.BACKWARD

    def test_saved_bytes_are_known_by_the_operator_that_made_them(self) -> None:
        count = count_training(nn.Sequential(nn.Linear(16, 16), nn.ReLU()), new())
        assert count.saved_by_op == {"aten.relu": KIB, "aten.mean": 4}
