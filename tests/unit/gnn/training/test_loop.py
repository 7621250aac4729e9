"""One network learns: batches, pace, clipping, and going on where it stopped."""

import math

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data

from spm.gnn.training.config import Schedule
from spm.gnn.training.loop import Fit, keep, kept
from spm.registry.errors import StoreWriteFailed

torch.set_num_threads(1)


class Tiny(nn.Module):
    """One weight per feature, and dropout, which must not break the repetition."""

    def __init__(self) -> None:
        super().__init__()
        self.line = nn.Linear(3, 1)
        self.drop = nn.Dropout(0.5)
        self.seen: list[list[int]] = []

    def forward(self, batch: Batch) -> Tensor:
        if self.training:
            self.seen.append(batch.name.tolist())
        return self.line(self.drop(batch.x)).squeeze(-1)


def graphs(count: int = 11) -> list[Data]:
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(count, 3, generator=generator)
    found = zip(range(count), rows, strict=True)
    return [Data(x=row[None], y=row.sum()[None], name=torch.tensor([at])) for at, row in found]


def squared(network: nn.Module, batch: Batch) -> Tensor:
    return ((network(batch) - batch.y) ** 2).mean()


def fit(schedule: Schedule, count: int = 11) -> Fit:
    torch.manual_seed(schedule.seed)
    return Fit(Tiny(), graphs(count), squared, schedule)


SCHEDULE = Schedule(rate=0.05, epochs=6, seed=3, batch=4)


def weights(one: Fit) -> list[Tensor]:
    return [value.clone() for value in one.network.state_dict().values()]


def test_it_learns():
    one = fit(Schedule(rate=0.1, epochs=60, seed=3, batch=4))
    losses = [one.run() for _ in range(60)]
    assert losses[-1] < losses[0]
    found = one.network.line.weight.detach()
    assert (found > 0.3).all()  # towards 1 each; dropout holds them back


def test_every_graph_once_per_epoch_in_another_order():
    one = fit(SCHEDULE)
    one.run()
    one.run()
    first, second = one.network.seen[:3], one.network.seen[3:]
    assert [len(part) for part in first] == [4, 4, 3]
    for epoch in (first, second):
        assert sorted(name for part in epoch for name in part) == list(range(11))
    assert first != second
    again = fit(SCHEDULE)
    again.run()
    assert again.network.seen == first


def test_the_pace():
    """A tenth of the steps upwards, then along a cosine to nothing."""
    schedule = Schedule(rate=1.0, epochs=10, seed=0, batch=4)
    one, rates = fit(schedule), []
    for step in range(30):
        one._pace(step)
        rates.append(one.optimizer.param_groups[0]["lr"])
    assert rates[:3] == pytest.approx([1 / 3, 2 / 3, 1.0])
    expected = [0.5 * (1 + math.cos(math.pi * (step - 3) / 27)) for step in range(3, 30)]
    assert rates[3:] == pytest.approx(expected)
    assert rates[-1] < 0.01


def test_a_constant_pace_keeps_the_rate():
    one = fit(Schedule(rate=0.5, epochs=2, seed=0, batch=4, pace="constant"))
    one.run()
    assert one.optimizer.param_groups[0]["lr"] == 0.5
    one.run()
    assert one.optimizer.param_groups[0]["lr"] == 0.5


def test_gradients_are_clipped():
    def steep(network: nn.Module, batch: Batch) -> Tensor:
        return 1e4 * squared(network, batch)

    one = Fit(Tiny(), graphs(), steep, SCHEDULE)
    one.run()
    norm = math.sqrt(sum(float((p.grad**2).sum()) for p in one.network.parameters()))
    assert norm == pytest.approx(1.0, abs=1e-4)


def test_reports_count_on_over_the_epochs():
    one, told = fit(SCHEDULE), []
    for _ in range(2):
        one.run(lambda done, total, mean: told.append((done, total)))
    assert told == [(done, 18) for done in range(1, 7)]


def test_the_loss_is_the_mean_over_the_epoch():
    one, told = fit(SCHEDULE), []
    loss = one.run(lambda done, total, mean: told.append(mean))
    assert loss == pytest.approx(told[-1])
    assert not one.network.training


@pytest.mark.parametrize("after", [1, 3, 5])
def test_a_run_goes_on_as_if_nothing_had_been(tmp_path, after):
    whole = fit(SCHEDULE)
    losses = [whole.run() for _ in range(6)]
    first = fit(SCHEDULE)
    for _ in range(after):
        first.run()
    keep(first.state(), tmp_path / "state.safetensors")
    torch.manual_seed(99)  # another process has another past
    second = Fit(Tiny(), graphs(), squared, SCHEDULE)
    state = kept(tmp_path / "state.safetensors")
    assert state
    second.restore(state)
    assert second.epoch == after
    assert [second.run() for _ in range(after, 6)] == losses[after:]
    for ours, theirs in zip(weights(second), weights(whole), strict=True):
        assert torch.equal(ours, theirs)


def test_what_happened_between_epochs_does_not_matter():
    """Measuring, or another stage, may draw random numbers: an epoch begins with its own seed."""
    one, other = fit(SCHEDULE), fit(SCHEDULE)
    for _ in range(3):
        one.run()
        torch.rand(7)
        other.run()
    assert all(torch.equal(a, b) for a, b in zip(weights(one), weights(other), strict=True))


def test_no_state_is_none(tmp_path):
    assert kept(tmp_path / "absent") is None


def test_a_state_is_written_whole_or_not_at_all(tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "inside").touch()
    with pytest.raises(StoreWriteFailed):
        keep(fit(SCHEDULE).state(), tmp_path / "state")
    assert [file.name for file in tmp_path.iterdir()] == ["state"]
