"""The losses of both networks."""

import torch
from torch import Tensor
from torch.nn import functional

from spm.gnn.features import PAIR
from spm.gnn.networks.reranker import Order
from spm.registry.menus.menu import PREFIX, SIZE

FAR = -1e9  # instead of -inf: keeps gradients finite where nothing is left to choose
_FROM_LAST = [PAIR.index(name) for name in ("follows", "feeds", "recalled_next")]
SHARES = {"entry": 0.55, "slot": 0.55, "precedence": 0.75, "member": 0.30, "path": 1.15}


def retriever_loss(
    member: Tensor, slot: Tensor, mask: Tensor, place: Tensor, similarity: Tensor
) -> Tensor:
    """Membership with weighted negatives, a margin at the menu's edge, and slots."""
    gold = (place >= 0) & mask
    weight = _negatives(member.detach(), similarity, gold, mask)
    each = functional.binary_cross_entropy_with_logits(member, gold.float(), reduction="none")
    weighed = each * torch.where(gold, 4.0, weight) * mask
    belongs = weighed.sum(1) / mask.sum(1)
    return (belongs + _edge(member, gold, mask) + 0.3 * _slots(slot, place, mask)).mean()


def _negatives(member: Tensor, similarity: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
    """Weights of non-members: those alike in meaning and those at the menu's edge count double."""
    outside = ~gold & mask
    alike = _rank(similarity.masked_fill(~outside, FAR)) < SIZE // 2
    place = _rank(member.masked_fill(~mask, FAR))
    edge = (place >= SIZE - 8) & (place < SIZE + 8)
    return torch.where((alike | edge) & outside, 2.0, 1.0)


def _rank(scores: Tensor) -> Tensor:
    return scores.argsort(dim=1, descending=True).argsort(dim=1)


def _edge(member: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
    """Every gold tool against the strongest others: what decides whether the chain is whole."""
    others = member.masked_fill(gold | ~mask, FAR)
    hardest = others.topk(min(SIZE, others.size(1)), dim=1).values.logsumexp(1, keepdim=True)
    behind = functional.softplus(hardest - member - 2.0) * gold
    return 0.5 * behind.sum(1) / gold.sum(1).clamp(min=1)


def _slots(slot: Tensor, place: Tensor, mask: Tensor) -> Tensor:
    """For each place, which candidate stands there."""
    logits = slot.masked_fill(~mask[..., None], FAR).log_softmax(1)
    at = torch.arange(PREFIX, device=slot.device)
    target = (place[..., None] == at) & mask[..., None]
    return -(logits * target).sum((1, 2)) / target.sum((1, 2)).clamp(min=1)


def reranker_loss(order: Order, place: Tensor, state: Tensor, weights: Tensor) -> dict[str, Tensor]:
    """The five losses; their sum by `SHARES` is what is minimised.

    Args:
        order: what the network says.
        place: (B, N) place in the gold path, -1 outside.
        state: (B, N, 8, 2) who could run and who is blocked at each place of the gold path.
        weights: the decoder's weights, learned with the rest.
    """
    gold = (place >= 0) & order.mask
    first = (place == 0) & order.mask
    entry = order.entry.masked_fill(~order.mask, FAR).log_softmax(1)
    member = functional.binary_cross_entropy_with_logits(
        order.member, gold.float(), weight=order.mask.float(), reduction="none"
    ).sum(1) / order.mask.sum(1)
    return {
        "entry": -(entry * first).sum(1).mean(),
        "slot": _slots(order.slot, place, order.mask).mean(),
        "precedence": _precedence(order, place, gold).mean(),
        "member": member.mean(),
        "path": path_loss(order, place, state, weights).mean(),
    }


def _precedence(order: Order, place: Tensor, gold: Tensor) -> Tensor:
    lead = order.precedence - order.precedence.transpose(1, 2)
    pairs = gold[:, :, None] & gold[:, None, :] & (place[:, :, None] < place[:, None, :])
    return (functional.softplus(-lead) * pairs).sum((1, 2)) / pairs.sum((1, 2)).clamp(min=1)


def path_loss(order: Order, place: Tensor, state: Tensor, weights: Tensor) -> Tensor:
    """Minus the log-likelihood of the gold prefix under the decoder's own score.

    At each place a softmax over the tools not yet placed, from the state that the gold tools
    before have made: the learned terms that `decoding.arrange` adds up.
    """
    at = torch.arange(PREFIX, device=place.device)[:, None]
    here = place[:, None, :]  # (B, 1, N) against every place at once
    placed = ((here >= 0) & (here < at)).float()  # (B, 8, N)
    last = ((here == at - 1) & (here >= 0)).float()  # -1 is outside the path, not before it
    lead = order.precedence - order.precedence.transpose(1, 2)
    first = torch.zeros_like(placed)
    first[:, 0] = order.entry
    terms = torch.stack(
        [
            order.member[:, None].expand_as(placed),
            order.slot.transpose(1, 2),
            state[..., 0].transpose(1, 2),
            first,
            placed @ lead / at.clamp(min=1),
            *torch.einsum("bpj,bjif->fbpi", last, order.pairs[..., _FROM_LAST]),
            state[..., 1].transpose(1, 2),
        ]
    )
    logits = torch.einsum("t,tbpi->bpi", weights, terms)
    logits = logits.masked_fill((placed > 0) | ~order.mask[:, None], FAR).log_softmax(-1)
    target = (here == at) & order.mask[:, None]
    return -(logits * target).sum((1, 2)) / target.sum((1, 2)).clamp(min=1)
