"""The losses of both networks."""

import torch
from torch import Tensor
from torch.nn import functional

from spm.gnn.decoding import TERMS
from spm.gnn.features import PAIR
from spm.gnn.networks.reranker import Order
from spm.gnn.training.config import FROM_PAIRS, RetrieverLosses
from spm.registry.menus.menu import PREFIX, SIZE

FAR = -1e9  # instead of -inf: keeps gradients finite where nothing is left to choose
USUAL = RetrieverLosses()


def retriever_loss(
    member: Tensor,
    slot: Tensor,
    mask: Tensor,
    place: Tensor,
    similarity: Tensor,
    losses: RetrieverLosses = USUAL,
) -> Tensor:
    """Membership with weighted negatives, a margin at the menu's edge, slots, and the entry."""
    gold = (place >= 0) & mask
    weight = _negatives(member.detach(), similarity, gold, mask, losses)
    each = functional.binary_cross_entropy_with_logits(member, gold.float(), reduction="none")
    weighed = each * torch.where(gold, losses.gold, weight) * mask
    belongs = weighed.sum(1) / mask.sum(1)
    edge = losses.edge * _edge(member, gold, mask, losses.margin)
    loss = belongs + edge + losses.slot * _slots(slot, place, mask)
    if losses.entry:
        loss = loss + losses.entry * _first(slot, place, mask)
    return loss.mean()


def _negatives(
    member: Tensor, similarity: Tensor, gold: Tensor, mask: Tensor, losses: RetrieverLosses
) -> Tensor:
    """Weights of non-members: those alike in meaning and those at the menu's edge are hard."""
    outside = ~gold & mask
    alike = _rank(similarity.masked_fill(~outside, FAR)) < losses.alike
    place = _rank(member.masked_fill(~mask, FAR))
    edge = (place >= SIZE - losses.boundary) & (place < SIZE + losses.boundary)
    return torch.where((alike | edge) & outside, losses.hard, 1.0)


def _rank(scores: Tensor) -> Tensor:
    return scores.argsort(dim=1, descending=True).argsort(dim=1)


def _edge(member: Tensor, gold: Tensor, mask: Tensor, margin: float) -> Tensor:
    """Every gold tool against the strongest others: what decides whether the chain is whole."""
    others = member.masked_fill(gold | ~mask, FAR)
    hardest = others.topk(min(SIZE, others.size(1)), dim=1).values.logsumexp(1, keepdim=True)
    behind = functional.softplus(hardest - member - margin) * gold
    return behind.sum(1) / gold.sum(1).clamp(min=1)


def _slots(slot: Tensor, place: Tensor, mask: Tensor) -> Tensor:
    """For each place, which candidate stands there."""
    logits = slot.masked_fill(~mask[..., None], FAR).log_softmax(1)
    at = torch.arange(PREFIX, device=slot.device)
    target = (place[..., None] == at) & mask[..., None]
    return -(logits * target).sum((1, 2)) / target.sum((1, 2)).clamp(min=1)


def _first(slot: Tensor, place: Tensor, mask: Tensor) -> Tensor:
    """Which candidate stands at the first place; nothing where the first tool is no candidate."""
    logits = slot[..., 0].masked_fill(~mask, FAR).log_softmax(1)
    return -(logits * ((place == 0) & mask)).sum(1)


def reranker_loss(
    order: Order,
    place: Tensor,
    state: Tensor,
    weights: Tensor,
    pair: tuple[str, ...] = PAIR,
) -> dict[str, Tensor]:
    """The five losses; their sum by `RerankerLosses` is what is minimised.

    Args:
        order: what the network says.
        place: (B, N) place in the gold path, -1 outside.
        state: (B, N, 8, 2) who could run and who is blocked at each place of the gold path.
        weights: the decoder's weights, which may be learned with the rest.
        pair: the names of the pair features.
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
        "path": path_loss(order, place, state, weights, pair).mean(),
    }


def _precedence(order: Order, place: Tensor, gold: Tensor) -> Tensor:
    lead = order.precedence - order.precedence.transpose(1, 2)
    pairs = gold[:, :, None] & gold[:, None, :] & (place[:, :, None] < place[:, None, :])
    return (functional.softplus(-lead) * pairs).sum((1, 2)) / pairs.sum((1, 2)).clamp(min=1)


def path_loss(
    order: Order,
    place: Tensor,
    state: Tensor,
    weights: Tensor,
    pair: tuple[str, ...] = PAIR,
) -> Tensor:
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
    known = {
        "member": order.member[:, None].expand_as(placed),
        "slot": order.slot.transpose(1, 2),
        "ready": state[..., 0].transpose(1, 2),
        "entry": first,
        "before": placed @ lead / at.clamp(min=1),
        "blocked": state[..., 1].transpose(1, 2),
        **_from_last(order.pairs, last, pair),
    }
    # A term whose feature no network reads has no weight.
    terms = torch.stack([known.get(name, torch.zeros_like(placed)) for name in TERMS[:-1]])
    logits = torch.einsum("t,tbpi->bpi", weights, terms)
    logits = logits.masked_fill((placed > 0) | ~order.mask[:, None], FAR).log_softmax(-1)
    target = (here == at) & order.mask[:, None]
    return -(logits * target).sum((1, 2)) / target.sum((1, 2)).clamp(min=1)


def _from_last(pairs: Tensor, last: Tensor, names: tuple[str, ...]) -> dict[str, Tensor]:
    """The terms that pair features say of the tool before, at each place."""
    read = {term: names.index(name) for term, name in FROM_PAIRS.items() if name in names}
    found = torch.einsum("bpj,bjif->fbpi", last, pairs[..., list(read.values())])
    return dict(zip(read, found, strict=True))
