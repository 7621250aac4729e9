"""Training on several devices at once, started by `torchrun`; alone, everything here is nothing.

The networks are small (0.4 million weights), so gradients are averaged in one message per step
instead of being overlapped with the backward pass.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import torch
from torch import distributed, nn

from spm.gnn.networks import runtime

Item = TypeVar("Item")


def world() -> tuple[int, int]:
    """This process's number and how many there are."""
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return 0, 1


@contextmanager
def joined() -> Iterator[bool]:
    """Join the processes that torchrun started; yields whether this one leads."""
    if int(os.environ.get("WORLD_SIZE", "1")) < 2 or distributed.is_initialized():
        yield world()[0] == 0
        return
    distributed.init_process_group("nccl" if runtime.device() == "cuda" else "gloo")
    try:
        yield distributed.get_rank() == 0
    finally:
        distributed.destroy_process_group()


def device() -> torch.device:
    """The GPU of this process, or the CPU."""
    return runtime.torch_device()


def share(items: Sequence[Item]) -> list[Item]:
    """This process's part of a batch; never empty, so that all processes take every step."""
    rank, size = world()
    return list(items[rank::size]) or [items[rank % len(items)]]


def average_gradients(network: nn.Module) -> None:
    """Give every process the mean of all gradients."""
    _, size = world()
    if size == 1:
        return
    grown = [p.grad for p in network.parameters() if p.grad is not None]
    flat = torch.cat([grad.reshape(-1) for grad in grown])
    distributed.all_reduce(flat)
    flat /= size
    at = 0
    for grad in grown:
        grad.copy_(flat[at : at + grad.numel()].view_as(grad))
        at += grad.numel()


def same_start(network: nn.Module) -> None:
    """Begin everywhere with the leader's weights."""
    if world()[1] > 1:
        for parameter in network.parameters():
            distributed.broadcast(parameter.data, 0)
