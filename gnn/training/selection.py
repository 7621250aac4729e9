"""Selection on the development split: measures, weights of the set decoder, route cut."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from spm.gnn.constructor import construct, names
from spm.gnn.decoding import Chosen, SetWeights, choose, missing_fields
from spm.gnn.features import Facts, derive
from spm.gnn.model import Design, Model
from spm.gnn.networks.input_rows import candidate_rows
from spm.gnn.networks.passes import Candidates, Inference
from spm.gnn.training.examples import Example
from spm.gnn.training.measures import Measures, mean, measure
from spm.registry.frontier.frontier import Floats, Frontier


def pick(
    networks: Inference,
    frontier: Frontier,
    facts: Facts,
    sets: Sequence[SetWeights],
    design: Design,
) -> tuple[list[Chosen], Floats]:
    """The retriever's choice of 32 by each of some weights, and what it said of all candidates."""
    rows = candidate_rows(facts, design.inputs)
    ((member, slots),) = networks.retrieve([Candidates(rows, facts.relations)])
    missing = missing_fields(frontier.takes, frontier.given, member, design.routing.missing)
    makes = frontier.gives[:, missing]
    chosen = [choose(member, slots, makes, facts.vectors, weights) for weights in sets]
    return chosen, np.concatenate([member[:, None], slots], axis=1).astype(np.float32)


def measure_sets(
    networks: Inference, sets: Sequence[SetWeights], examples: Sequence[Example], design: Design
) -> list[Measures]:
    """The first network alone, for each of some weights of the set decoder."""
    found: list[list[Measures]] = [[] for _ in sets]
    for one in examples:
        facts = derive(one.frontier, design.inputs)
        choices, _ = pick(networks, one.frontier, facts, sets, design)
        for measured, chosen in zip(found, choices, strict=True):
            menu = [one.frontier.tools[at] for at in chosen.order]
            measured.append(measure(menu, one.path, one.frontier.tools))
    return [mean(measured) for measured in found]


def measure_menus(model: Model, examples: Sequence[Example]) -> Measures:
    """The whole constructor."""
    return mean(
        [
            measure(names(construct(model, one.frontier)), one.path, one.frontier.tools)
            for one in examples
        ]
    )


def best_sets(
    networks: Inference, examples: Sequence[Example], sets: Sequence[SetWeights], design: Design
) -> SetWeights:
    """The set decoder's weights with the most whole chains; of equals the first."""
    if not examples or len(sets) == 1:
        return sets[0]
    scored = measure_sets(networks, sets, examples, design)
    best = max(range(len(sets)), key=lambda at: (scored[at].chain, scored[at].recall, -at))
    return sets[best]


def best_cut(model: Model, examples: Sequence[Example], cuts: Sequence[float]) -> float:
    """Where the route ends: the cut whose routes agree best with the paths (mean F1)."""
    if len(cuts) == 1:
        return cuts[0]
    scores = dict.fromkeys(cuts, 0.0)
    whole = replace(model, cut=-1.0)  # one object: its networks are made once
    for one in examples:
        built = construct(whole, one.frontier)
        shown = [
            (one.frontier.tools[built.head[at]], float(built.member[built.head[at]]))
            for at in built.arranged.order
        ]
        for cut in cuts:
            kept = {tool for tool, share in shown if share >= cut} or {shown[0][0]}
            common = len(kept & set(one.path))
            scores[cut] += 2 * common / (len(kept) + len(set(one.path)))
    return max(cuts, key=lambda cut: (round(scores[cut], 6), -cut)) if examples else 0.5
