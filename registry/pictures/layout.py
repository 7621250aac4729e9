"""Where the nodes of a small graph go: layers from left to right, few crossings, short edges.

Sugiyama's steps in their simplest form: break cycles, longest-path layers, barycentre order, then
positions that follow the neighbours as far as the order allows. Knows nothing of pictures; what it
finds is drawn by `page` and, in a browser, by the service's graph.js.
"""

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

SWEEPS = 12
# Edges looked at in all sweeps together: larger graphs get fewer of them, so that none takes long.
WORK = 300_000
COLUMN_GAP, ROW_GAP, MARGIN = 64.0, 16.0, 16.0
# A long edge passes between the nodes of a column through a gap of this height.
LANE = 8.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """The centre of every node, the points along every edge, and the size of all."""

    centres: list[Point]
    routes: list[list[Point]]
    width: float
    height: float


def arrange(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    *,
    gap: float = COLUMN_GAP,
    lane_gap: float = ROW_GAP,
    layers: Sequence[int] | None = None,
) -> Layout:
    """Place nodes.

    A route goes from the first to the second of an edge; its points are joined by lines and curves
    in turn. An edge that leads to no later column gets an empty route: of given layers, and from a
    node to itself.

    Args:
        sizes: width and height of each node.
        edges: pairs of places in `sizes`.
        gap: between columns.
        lane_gap: between two long edges that cross a column side by side.
        layers: the column of each node, where they are known.
    """
    forward, layers = _layered(len(sizes), edges) if layers is None else (edges, list(layers))
    # Nodes beyond the given ones are lanes: where a long edge crosses a column.
    heights = [height for _, height in sizes]
    chains = [_chain(a, b, layers, heights) if layers[a] < layers[b] else [] for a, b in forward]
    links = sorted({pair for chain in chains for pair in pairwise(chain)})
    columns = _order(layers, links)
    gaps = [ROW_GAP] * len(sizes) + [lane_gap] * (len(heights) - len(sizes))
    ys = _heights(columns, heights, gaps, links)
    xs, widths = _columns(columns, sizes, gap)
    routes = [
        _route(chain, edge != turned, xs, widths, ys, sizes, layers)
        for chain, edge, turned in zip(chains, edges, forward, strict=True)
    ]
    top = min((ys[i] - heights[i] / 2 for i in range(len(heights))), default=0.0) - MARGIN
    bottom = max((ys[i] + heights[i] / 2 for i in range(len(heights))), default=0.0) + MARGIN
    centres = [(xs[layers[i]] + widths[layers[i]] / 2, ys[i] - top) for i in range(len(sizes))]
    moved = [[(x, y - top) for x, y in route] for route in routes]
    right = xs[-1] + widths[-1] + MARGIN if xs else 2 * MARGIN
    return Layout(centres, moved, right, bottom - top)


def _layered(
    count: int, edges: Sequence[tuple[int, int]]
) -> tuple[list[tuple[int, int]], list[int]]:
    """The edges without cycles and the layers of the nodes, in as few columns as may be.

    Which edges close a cycle depends on where the walk begins: with what nothing leads to, or with
    the first node.
    """
    entered = {b for a, b in edges if a != b}
    found = []
    for starts in (sorted(range(count), key=entered.__contains__), range(count)):
        forward = _without_cycles(count, edges, starts)
        found.append((forward, _layers(count, forward)))
    return min(found, key=lambda one: max(one[1], default=0))


def _without_cycles(
    count: int, edges: Sequence[tuple[int, int]], starts: Sequence[int]
) -> list[tuple[int, int]]:
    """Turn round the edges that close a cycle, found by walking depth first."""
    after: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        after[a].append(b)
    state = [0] * count  # 0 not seen, 1 on the way, 2 done
    back: set[tuple[int, int]] = set()
    for start in starts:
        if state[start]:
            continue
        state[start] = 1
        stack = [(start, iter(after[start]))]
        while stack:
            node, rest = stack[-1]
            step = next(rest, None)
            if step is None:
                state[node] = 2
                stack.pop()
            elif state[step] == 1:
                back.add((node, step))
            elif not state[step]:
                state[step] = 1
                stack.append((step, iter(after[step])))
    return [(b, a) if (a, b) in back and a != b else (a, b) for a, b in edges]


def _layers(count: int, edges: list[tuple[int, int]]) -> list[int]:
    """The longest way to each node; beginnings move right, next to what they lead to."""
    before: list[set[int]] = [set() for _ in range(count)]
    after: list[set[int]] = [set() for _ in range(count)]
    for a, b in edges:
        if a != b:
            before[b].add(a)
            after[a].add(b)
    waits = [len(nodes) for nodes in before]
    ready = [i for i in range(count) if not waits[i]]
    layers = [0] * count
    for node in ready:  # grows while it is walked
        for step in sorted(after[node]):
            layers[step] = max(layers[step], layers[node] + 1)
            waits[step] -= 1
            if not waits[step]:
                ready.append(step)
    for node in range(count):
        if not before[node] and after[node]:
            layers[node] = min(layers[step] for step in after[node]) - 1
    _spread(layers, [i for i in range(count) if not before[i] and not after[i]])
    return layers


def _spread(layers: list[int], alone: list[int]) -> None:
    """Nodes without edges fill a square instead of one long column."""
    across = max(1, round(len(alone) ** 0.5 / 1.6))
    for position, node in enumerate(alone):
        layers[node] = position % across


def _chain(a: int, b: int, layers: list[int], heights: list[float]) -> list[int]:
    """The edge as steps from layer to layer; new lanes are added to the nodes."""
    lanes = []
    for layer in range(layers[a] + 1, layers[b]):
        lanes.append(len(layers))
        layers.append(layer)
        heights.append(LANE)
    return [a, *lanes, b]


def _order(layers: list[int], links: list[tuple[int, int]]) -> list[list[int]]:
    """Sort each column by the mean position of its neighbours, to and fro; keep the best."""
    columns: list[list[int]] = [[] for _ in range(max(layers, default=-1) + 1)]
    for node, layer in enumerate(layers):
        columns[layer].append(node)
    before, after = _neighbours(len(layers), links)
    best, fewest = [list(c) for c in columns], _crossings(columns, links, layers)
    place = {n: float(i) for column in columns for i, n in enumerate(column)}
    for sweep in range(_sweeps(links)):
        if not fewest:
            break
        there = sweep % 2 == 0
        around = before if there else after
        for column in columns if there else reversed(columns):
            means = {n: _mean(n, around, place) for n in column}
            column.sort(key=means.__getitem__)
            place.update((n, float(i)) for i, n in enumerate(column))
        count = _crossings(columns, links, layers)
        if count < fewest:
            best, fewest = [list(c) for c in columns], count
    return best


def _sweeps(links: list[tuple[int, int]]) -> int:
    return max(1, min(SWEEPS, WORK // max(1, len(links))))


def _mean(node: int, around: list[list[int]], place: dict[int, float]) -> float:
    found = around[node]
    return sum(place[m] for m in found) / len(found) if found else place[node]


def _neighbours(
    count: int, links: list[tuple[int, int]]
) -> tuple[list[list[int]], list[list[int]]]:
    before: list[list[int]] = [[] for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    for a, b in links:
        before[b].append(a)
        after[a].append(b)
    return before, after


def _crossings(columns: list[list[int]], links: list[tuple[int, int]], layers: list[int]) -> int:
    place = {n: i for c in columns for i, n in enumerate(c)}
    ends: dict[int, list[int]] = {}
    count = 0
    for a, b in sorted(links, key=lambda ab: (layers[ab[0]], place[ab[0]], place[ab[1]])):
        seen = ends.setdefault(layers[a], [])
        count += len(seen) - bisect_right(seen, place[b])
        insort(seen, place[b])
    return count


def _heights(
    columns: list[list[int]],
    heights: list[float],
    gaps: list[float],
    links: list[tuple[int, int]],
) -> list[float]:
    before, after = _neighbours(len(heights), links)
    ys = [0.0] * len(heights)
    spaced = [(column, _offsets(column, heights, gaps)) for column in columns]
    for column, steps in spaced:
        for node, y in zip(column, _stacked([0.0] * len(column), steps), strict=True):
            ys[node] = y
    for sweep in range(2 * _sweeps(links)):
        for column, steps in spaced if sweep % 2 == 0 else reversed(spaced):
            wanted = []
            for node in column:
                around = before[node] + after[node]
                wanted.append(sum(ys[m] for m in around) / len(around) if around else ys[node])
            for node, y in zip(column, _stacked(wanted, steps), strict=True):
                ys[node] = y
    return ys


def _offsets(column: list[int], heights: list[float], gaps: list[float]) -> list[float]:
    """How far below the first node of a column each one stands when nothing is between them."""
    offsets = [0.0]
    for a, b in pairwise(column):
        offsets.append(offsets[-1] + (heights[a] + heights[b]) / 2 + max(gaps[a], gaps[b]))
    return offsets


def _stacked(wanted: list[float], offsets: list[float]) -> list[float]:
    """The positions nearest to the wanted ones that keep order and distance.

    Least squares by pooling neighbours that want to be in each other's place.
    """
    pools: list[tuple[float, int]] = []  # mean and size
    for want, offset in zip(wanted, offsets, strict=False):
        mean, size = want - offset, 1
        while pools and pools[-1][0] > mean:
            other, many = pools.pop()
            mean, size = (mean * size + other * many) / (size + many), size + many
        pools.append((mean, size))
    means = [mean for mean, size in pools for _ in range(size)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=False)]


def _columns(
    columns: list[list[int]], sizes: Sequence[tuple[float, float]], gap: float
) -> tuple[list[float], list[float]]:
    """Left edge and width of each column."""
    widths = [max((sizes[n][0] for n in c if n < len(sizes)), default=LANE) for c in columns]
    xs, x = [], MARGIN
    for width in widths:
        xs.append(x)
        x += width + gap
    return xs, widths


def _route(
    chain: list[int],
    turned: bool,
    xs: list[float],
    widths: list[float],
    ys: list[float],
    sizes: Sequence[tuple[float, float]],
    layers: list[int],
) -> list[Point]:
    """From the first node to the edge of its column, through the lanes, and in to the last.

    Curves stay between the columns, where no node is in the way.
    """
    points: list[Point] = []
    for position, node in enumerate(chain):
        left, right = xs[layers[node]], xs[layers[node]] + widths[layers[node]]
        inset = (right - left - sizes[node][0]) / 2 if node < len(sizes) else 0.0
        if position:
            points += [(left, ys[node]), (left + inset, ys[node])][: 1 + (node == chain[-1])]
        if position < len(chain) - 1:
            points += [(right - inset, ys[node]), (right, ys[node])][position > 0 :]
    return points[::-1] if turned else points
