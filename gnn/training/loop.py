"""One network learns: batches, steps, clipping, the schedule, and going on after a kill."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import Dataset
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader

from spm.gnn.networks.dense import dense_nodes
from spm.gnn.networks.input_rows import widths
from spm.gnn.networks.reranker import Reranker
from spm.gnn.training import distributed
from spm.gnn.training.config import Config, RetrieverLosses, Schedule
from spm.gnn.training.losses import USUAL, reranker_loss, retriever_loss
from spm.gnn.training.packing import PackedGraph
from spm.registry.store import disk

Step = Callable[[nn.Module, Batch], Tensor]
Report = Callable[[int, int, float], None]


class Ordering(nn.Module):
    """The reranker together with the decoder's weights, which may learn with it."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        _, features, pairs = widths(config.design.inputs)
        self.reranker = Reranker(features, pairs, config.design.networks)
        weights = torch.from_numpy(config.order.array())
        self.weights = nn.Parameter(weights, requires_grad=config.learned)


def retriever_step(network: nn.Module, batch: Batch, losses: RetrieverLosses = USUAL) -> Tensor:
    """The loss of one batch of frontiers."""
    member, slot, mask = network(batch)
    place, _ = dense_nodes(batch.place, batch, fill=-1)
    similarity, _ = dense_nodes(batch.similarity, batch)
    return retriever_loss(member, slot, mask, place, similarity, losses)


def ordering_step(network: nn.Module, batch: Batch) -> Tensor:
    """The loss of one batch of menus, by what the configuration says that each loss counts."""
    assert isinstance(network, Ordering)
    config = network.config
    order = network.reranker(batch)
    place, _ = dense_nodes(batch.place, batch, fill=-1)
    state, _ = dense_nodes(batch.state, batch)
    losses = reranker_loss(order, place, state, network.weights, config.design.inputs.pair)
    shares = asdict(config.reranker_losses)
    return torch.stack([share * losses[name] for name, share in shares.items()]).sum()


class Unpacked(Dataset[Data]):
    """Graphs as a loader asks for them: packed ones are unpacked for the batch that they are in."""

    def __init__(self, graphs: Sequence[Data | PackedGraph]) -> None:
        self._graphs = graphs

    def __len__(self) -> int:
        return len(self._graphs)

    def __getitem__(self, at: int) -> Data:
        one = self._graphs[at]
        return one.graph() if isinstance(one, PackedGraph) else one


class Fit:
    """The training of one network, an epoch at a time.

    An epoch depends only on the seed, its number and the state before it, so that a run which
    was killed and goes on from the last whole epoch ends with the same weights.
    """

    def __init__(
        self,
        network: nn.Module,
        graphs: Sequence[Data | PackedGraph],
        step: Step,
        schedule: Schedule,
        further: float = 25.0,
    ) -> None:
        self.network = network.to(distributed.device())
        self.graphs, self.step, self.schedule = list(graphs), step, schedule
        distributed.same_start(network)
        self.steps = -(-len(self.graphs) // schedule.batch)
        self.optimizer = torch.optim.AdamW(_groups(network, schedule, further))
        self.epoch = 0

    def run(self, report: Report | None = None) -> float:
        """Go through all examples once; returns the mean loss."""
        seed = self.schedule.seed + 1_000 * self.epoch + distributed.world()[0]
        torch.manual_seed(seed)  # dropout
        total = 0.0
        self.network.train()
        for at, batch in enumerate(self._batches()):
            self._pace(self.epoch * self.steps + at)
            loss = self.step(self.network, batch.to(distributed.device()))
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            distributed.average_gradients(self.network)
            nn.utils.clip_grad_norm_(self.network.parameters(), self.schedule.clip)
            self.optimizer.step()
            total += float(loss.detach())
            if report:
                done = self.epoch * self.steps + at + 1
                report(done, self.schedule.epochs * self.steps, total / (at + 1))
        self.network.eval()
        self.epoch += 1
        return total / max(1, self.steps)

    def _pace(self, step: int) -> None:
        """Keep the rate, or warm up over a tenth of all steps, then fall to nothing."""
        if self.schedule.pace == "constant":
            return
        whole = max(1, self.schedule.epochs * self.steps)
        rise = max(1, whole // 10)
        down = (step - rise) / max(1, whole - rise)
        share = (step + 1) / rise if step < rise else 0.5 * (1 + math.cos(math.pi * down))
        for group in self.optimizer.param_groups:
            group["lr"] = group["rate"] * share

    def _batches(self) -> DataLoader:
        """The same shuffled batches in every process, each taking its share of them."""
        shuffle = torch.Generator().manual_seed(self.schedule.seed + self.epoch)
        order = torch.randperm(len(self.graphs), generator=shuffle, device="cpu").tolist()
        size = self.schedule.batch
        parts = [distributed.share(order[at : at + size]) for at in range(0, len(order), size)]
        return DataLoader(Unpacked(self.graphs), batch_sampler=parts)

    def state(self) -> dict[str, Tensor]:
        """Everything that the next epoch depends on, as tensors."""
        found = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        for number, values in self.optimizer.state_dict()["state"].items():
            found |= {f"optimizer.{number}.{name}": value for name, value in values.items()}
        return {**found, "epoch": torch.tensor(self.epoch, device="cpu")}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go on from what `state` gave."""
        self.epoch = int(state["epoch"])
        self.network.load_state_dict(_under(state, "network."))
        moments: dict[int, dict[str, Any]] = {}
        for name, value in _under(state, "optimizer.").items():
            number, _, key = name.partition(".")
            moments.setdefault(int(number), {})[key] = value
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": moments, "param_groups": groups})


def _groups(network: nn.Module, schedule: Schedule, further: float) -> list[dict[str, Any]]:
    """A decoder's few weights stand for whole terms: they go further, and are not decayed."""
    few = [value for name, value in network.named_parameters() if name == "weights"]
    rest = [value for name, value in network.named_parameters() if name != "weights"]
    groups = [{"params": rest, "rate": schedule.rate, "weight_decay": schedule.decay}]
    if few:
        groups += [{"params": few, "rate": further * schedule.rate, "weight_decay": 0.0}]
    return [{**group, "lr": group["rate"]} for group in groups]


def _under(state: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}


def keep(state: dict[str, Tensor], path: Path) -> None:
    """Write a state, whole or not at all."""
    from safetensors.torch import save

    disk.replace(path, save({name: value.contiguous().cpu() for name, value in state.items()}))


def kept(path: Path) -> dict[str, Tensor] | None:
    """Read a state back; None where there is none."""
    from safetensors.torch import load_file

    return load_file(path) if path.exists() else None
