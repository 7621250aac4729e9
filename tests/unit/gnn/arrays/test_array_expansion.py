"""The frontier from arrays against the rule in plain loops, and without a group of trajectories."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spm.gnn.arrays.array_expansion import Question, expand
from spm.gnn.arrays.library import Counts, Feeders, Library, Rows, orders, transitions
from spm.registry.frontier import frontier as rule
from spm.registry.frontier.frontier import Frontier, Memory, Rule
from spm.registry.request.clauses import clauses
from spm.registry.search import scoring
from spm.registry.search.bm25 import Index, grams, request_gains, stems, tool_gains, tool_grams
from tests.data.frontiers import SMALL, WORDS, Worded, differing, limits

ENCODER = Worded()
SEEDS = st.integers(0, 10_000)


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(0, 4)))


def some_library(seed: int, tools: int | None = None, ways: int | None = None) -> Library:
    """A random library; counts hold more than its trajectories, and some of them have faded."""
    rng = random.Random(seed)
    size = rng.randint(1, 30) if tools is None else tools
    count = (rng.randint(0, 25) if ways is None else ways) if size else 0
    fields = sorted(f"field {at}" for at in range(rng.randint(1, 8)))
    paths = [rng.choices(range(size), k=rng.randint(1, 6)) for _ in range(count)]
    distinct = [list(dict.fromkeys(path)) for path in paths]
    documents, requests = ([sentence(rng) for _ in range(k)] for k in (size, count))
    vectors = [
        np.array([ENCODER.vector(text) for text in texts], dtype=np.float32).reshape(-1, 6)
        for texts in (documents, requests)
    ]
    vectors[0][rng.sample(range(size), size // 9)] = 0  # not encoded
    frequency = np.bincount([t for way in distinct for t in way], minlength=size)
    entries = np.bincount([path[0] for path in paths], minlength=size)
    ran = Counter(pair for path in paths for pair in transitions(path))
    ran.update((rng.randrange(size), rng.randrange(size)) for _ in range(2 * count))
    faded = {pair: rng.choice([1, 1, 0.3, 0]) * number for pair, number in ran.items()}
    before = Counter(pair for way in distinct for pair in orders(way))

    def some_fields() -> Rows:
        wanted = [min(len(fields), rng.randint(0, 2)) for _ in range(size)]
        return Rows.of([sorted(rng.sample(range(len(fields)), few)) for few in wanted])

    return Library(
        tools=[f"shop/{at:03}" for at in range(size)],
        family=np.array([rng.randint(-1, 2) for _ in range(size)], dtype=np.int64),
        service=np.array([rng.randint(0, 2) for _ in range(size)], dtype=np.int64),
        words=[frozenset({str(at)}) for at in range(size)],
        fields=fields,
        takes=some_fields(),
        gives=some_fields(),
        vectors=vectors[0],
        texts=Index(map(tool_gains, documents)),
        grams=Rows.of(map(tool_grams, documents)),
        trajectories=[f"j{at:03}" for at in range(count)],
        requests=requests,
        request_vectors=vectors[1],
        request_texts=Index(map(request_gains, requests)),
        paths=Rows.of(paths),
        groups=np.array([rng.randint(0, 4) for _ in range(count)], dtype=np.int64),
        frequency=(frequency + 1).astype(np.float32),
        entries=entries.astype(np.float32),
        followers=Counts.of(faded, size),
        later=Counts.of(before, size),
        feeders=some_feeders(rng, size, fields),
        same={"another": fields[0]},
    )


def some_feeders(rng: random.Random, size: int, fields: Sequence[str]) -> Feeders:
    """Edges with weights and fields, some of which have another name that stands for them."""
    ids = [str(at) for at in range(size)]
    ends = {(rng.choice(ids), rng.choice(ids)) for _ in range(3 * size)}
    names = [*fields, "another"]
    return Feeders.of(
        [
            {
                "producer": producer,
                "consumer": consumer,
                "fields": rng.sample(names, rng.randint(1, min(2, len(names)))),
                "weight": rng.choice((0.8, 0.776, 0.35)),
            }
            for producer, consumer in sorted(ends)
        ],
        {name: at for at, name in enumerate(ids)},
    )


def some_question(library: Library, seed: int, group: int | None = None) -> Question:
    rng = random.Random(seed)
    text = ", then ".join(sentence(rng) for _ in range(rng.randint(1, 3)))
    names = [*library.fields, "another", "unknown"]
    rows = ENCODER.encode_clauses([text])[0]
    shown = frozenset(rng.sample(names, 2))
    return Question(text, rows[0], shown, group, rows[1:] if rng.random() < 0.8 else None)


# -- the rule in plain loops --------------------------------------------------------------------


def fused(*rankings: list[int], constant: int) -> dict[int, int]:
    scores: dict[int, int] = {}
    for ranking in rankings:
        for place, key in enumerate(ranking):
            scores[key] = scores.get(key, 0) + 1_000_000 // (constant + place)
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))


def best(scores: dict[int, float]) -> list[int]:
    return sorted(scores, key=lambda key: (-scores[key], key))


Asked = list[tuple[str, np.ndarray]]  # texts and their vectors


def alike(vector: np.ndarray, other: np.ndarray) -> float:
    return round(float(np.dot(vector.astype(float), other.astype(float))), 6)


def nearest(vectors: np.ndarray, asked: Asked, count: int) -> list[int]:
    """The best for any of several vectors."""
    cosine = {
        row: max(alike(v, vector) for _, vector in asked)
        for row, v in enumerate(vectors)
        if v.any()
    }
    return best(cosine)[:count]


def rarities(library: Library, text: str) -> dict[str, float]:
    size, found = len(library.tools), {}
    for term in set(stems(text)):
        posting = library.texts.posting(term)
        held = 0 if posting is None else len(posting[0])
        told = math.log(1 + (size - held + 0.5) / (held + 0.5))
        found[term] = max(1, round(64 * told)) / 64
    return found


def gain(index: Index, term: str, row: int) -> float:
    posting = index.posting(term)
    if posting is None or row not in posting[0].tolist():
        return 0.0
    return float(posting[1][posting[0].tolist().index(row)])


def sharing(index: Index, size: int, weights: dict[str, float], count: int) -> dict[int, float]:
    """Texts by the rarity of the terms that they share with a request."""
    scores = {
        row: sum(w for term, w in weights.items() if gain(index, term, row)) for row in range(size)
    }
    known = {row: score for row, score in scores.items() if score > 0}
    return {row: known[row] for row in best(known)[:count]}


def units(scores: list[float]) -> list[float]:
    """Scores in units of their spread around their mean."""
    mean = sum(scores) / max(1, len(scores))
    spread = math.sqrt(sum((score - mean) ** 2 for score in scores) / max(1, len(scores)))
    return [(score - mean) / (spread if spread > 1e-9 else 1) for score in scores]


def letters(library: Library, rows: list[int], text: str) -> list[float]:
    known = [set(library.grams[row].tolist()) for row in rows]
    asked, size = set(grams(text).tolist()), len(rows)
    held = {gram: sum(gram in one for one in known) for gram in asked}
    return [
        sum(math.log(1 + (size - held[g] + 0.5) / (held[g] + 0.5)) for g in one & asked)
        / math.sqrt(max(1, len(one)))
        for one in known
    ]


def scored(library: Library, question: Question) -> tuple[list[int], dict[int, list[float]]]:
    """Which tools a request finds, best first, and what words say of each, clause by clause."""
    parts = clauses_of(question)
    if len(parts) == 1:
        parts = [(question.text, question.vector)]
    weights = rarities(library, question.text)
    weights |= {t: w for text, _ in parts for t, w in rarities(library, text).items()}
    whole = {term: weights[term] for term in set(stems(question.text))}
    rows = set(sharing(library.texts, len(library.tools), whole, scoring.WORDED))
    for asked in ([(question.text, question.vector)], parts):
        rows |= set(nearest(library.vectors, asked, rule.LOOKUP))
    found = sorted(rows)

    def words(text: str) -> list[float]:
        terms = set(stems(text))
        return [sum(weights[t] * gain(library.texts, t, row) for t in terms) for row in found]

    def meaning(vector: np.ndarray) -> list[float]:
        return [alike(library.vectors[row], vector) for row in found]

    by_clause = [
        [c + 0.7 * w for c, w in zip(units(meaning(vector)), units(words(text)), strict=True)]
        for text, vector in parts
    ]
    columns = zip(
        units(words(question.text)),
        units(meaning(question.vector)),
        units(letters(library, found, question.text)),
        *by_clause,
        strict=True,
    )
    scores = {
        row: round(w + 1.5 * m + 0.8 * a + 0.7 * max(rest), 6)
        for row, (w, m, a, *rest) in zip(found, columns, strict=True)
    }
    said = zip(words(question.text), *(words(text) for text, _ in parts), strict=True)
    return best(scores), dict(zip(found, map(list, said), strict=True))


def clauses_of(question: Question) -> Asked:
    if question.clauses is None:
        return [(question.text, question.vector)]
    parts = [question.text[a:b] for a, b in clauses(question.text)]
    return list(zip(parts, question.clauses, strict=True))


def dense(counts: Counts) -> dict[tuple[int, int], float]:
    size = len(counts.starts) - 1
    return {
        (a, int(counts.others[at])): float(counts.counts[at])
        for a in range(size)
        for at in range(counts.starts[a], counts.starts[a + 1])
    }


def naive(library: Library, question: Question) -> Frontier:
    size = len(library.tools)
    whole_text, parts = [(question.text, question.vector)], clauses_of(question)
    found, said = scored(library, question)
    scores = {
        tool: 2_200_000 // (35 + place + (0 if said[tool][0] > 0 else 40))
        for place, tool in enumerate(found)
    }
    near_ways = nearest(library.request_vectors, whole_text, rule.MEMORIES)
    shared = rarities(library, question.text)
    worded_ways = sharing(library.request_texts, len(library.requests), shared, rule.MEMORIES)
    memory = list(fused(near_ways, list(worded_ways), constant=20))[: rule.MEMORIES]
    ways = [list(dict.fromkeys(library.paths[row].tolist())) for row in memory]
    votes: dict[int, int] = {}
    for place, way in enumerate(ways):
        for tool in way:
            votes[tool] = votes.get(tool, 0) + 1_000_000 // (20 + place)
    whole = sum(1_000_000 // (20 + place) for place in range(len(ways)))
    votes = {tool: 1_000_000 * vote // whole for tool, vote in votes.items()}
    top = max(scores.values(), default=1)
    strength = {tool: 1_000_000 * score // (2 * top) for tool, score in scores.items()} | votes
    sources = best(dict(strength))[: rule.SOURCES]
    given = {library.same.get(name, name) for name in question.given}
    takes, gives = (
        [set(r[t].tolist()) for t in range(size)] for r in (library.takes, library.gives)
    )
    observed, feeders = dense(library.followers), library.feeders
    near_by: dict[int, float] = {}
    makers_of: dict[int, float] = {}
    for place, tool in enumerate(sources):
        counted = {
            other: observed.get((tool, other), 0) + observed.get((other, tool), 0)
            for other in range(size)
            if other != tool
        }
        for other in best({o: n for o, n in counted.items() if n > 0})[: rule.PER_SOURCE]:
            near_by[other] = near_by.get(other, 0) + 1_000_000 // (60 + place)
        for edge in range(*feeders.starts[tool : tool + 2].tolist()):
            names = [feeders.fields[at] for at in feeders.carried[edge].tolist()]
            if {library.same.get(name, name) for name in names} - given:
                gain = 1_000_000 // (60 + place) * int(feeders.weights[edge])
                maker = int(feeders.producers[edge])
                makers_of[maker] = makers_of.get(maker, 0) + gain
    chosen = list(
        dict.fromkeys([*best(dict(votes))[: rule.REMEMBERED], *list(scores)[: rule.ANCHORS]])
    )
    for ranking, room in ((near_by, rule.NEIGHBOURS), (makers_of, rule.PRODUCERS)):
        chosen += [tool for tool in best(ranking) if tool not in chosen][:room]
    chosen += [tool for tool in dict.fromkeys([*scores, *best(dict(votes))]) if tool not in chosen]
    chosen = chosen[: rule.SIZE]
    names = sorted({name for tool in chosen for name in takes[tool] | gives[tool]})

    def square(counts: Counts) -> np.ndarray:
        known = dense(counts)
        rows = [[known.get((a, b), 0.0) for b in chosen] for a in chosen]
        return np.array(rows, dtype=np.float32).reshape(len(chosen), len(chosen))

    def table(rows: list[set[int]]) -> np.ndarray:
        cells = [[name in rows[tool] for name in names] for tool in chosen]
        return np.array(cells, dtype=np.float32).reshape(len(chosen), len(names))

    def numbered(codes: np.ndarray) -> np.ndarray:
        seen = list(dict.fromkeys(int(codes[t]) for t in chosen if codes[t] >= 0))
        return np.array(
            [seen.index(codes[t]) if codes[t] >= 0 else -1 for t in chosen], dtype=np.int64
        )

    def floats(values: list[float]) -> np.ndarray:
        return np.array(values, dtype=np.float32)

    def cosine(vector: np.ndarray) -> float:
        return round(float(np.dot(vector.astype(float), question.vector.astype(float))), 6)

    steps = [
        (row, chosen.index(tool), at, len(way))
        for row, way in enumerate(ways)
        for at, tool in enumerate(way)
        if tool in chosen
    ]
    vocabulary = sorted({word for t in chosen for word in library.words[t]})
    return Frontier(
        tools=[library.tools[t] for t in chosen],
        similarity=floats([cosine(library.vectors[t]) for t in chosen]),
        lexical=floats([said[t][0] if t in said else 0.0 for t in chosen]),
        vectors=library.vectors[chosen],
        request=question.vector,
        family=numbered(library.family),
        service=numbered(library.service),
        words=np.array(
            [[word in library.words[t] for word in vocabulary] for t in chosen], dtype=np.float32
        ).reshape(len(chosen), len(vocabulary)),
        takes=table(takes),
        gives=table(gives),
        given=floats([library.fields[name] in given for name in names]),
        frequency=library.frequency[chosen],
        entry=library.entries[chosen],
        precedes=square(library.followers),
        before=square(library.later),
        memory=Memory(
            ids=[library.trajectories[row] for row in memory],
            similarity=floats([cosine(library.request_vectors[row]) for row in memory]),
            lexical=floats([worded_ways.get(row, 0.0) for row in memory]),
            steps=np.array(steps, dtype=np.int64).reshape(-1, 4),
        ),
        fields=[library.fields[name] for name in names],
        anchors=rule.ANCHORS,
        fused=floats([scores.get(t, 0) / 1_000_000 for t in chosen]),
        clauses=np.array(
            [[alike(library.vectors[t], vector) for _, vector in parts] for t in chosen],
            dtype=np.float32,
        ).reshape(len(chosen), len(parts)),
        clause_lexical=np.array(
            [said[t][1:] if t in said else [0.0] * len(parts) for t in chosen],
            dtype=np.float32,
        ).reshape(len(chosen), len(parts)),
    )


@given(SEEDS, st.booleans())
def test_arrays_do_what_plain_loops_do(seed: int, small: bool) -> None:
    library = some_library(seed)
    question = some_question(library, seed)
    with limits(**SMALL if small else {}):
        assert differing(expand(library, question), naive(library, question)) == []


@settings(max_examples=8)
@given(SEEDS)
def test_large_libraries_too(seed: int) -> None:
    library = some_library(seed, tools=300, ways=150)
    question = some_question(library, seed)
    made = expand(library, question)
    assert differing(made, naive(library, question)) == []
    assert len(made.tools) == rule.SIZE


# -- the paper's rule ---------------------------------------------------------------------------


def published(library: Library, question: Question, anchors: int, each: int, size: int) -> set[str]:
    """The candidates as the paper defines them: anchors, their neighbours, the next by meaning."""
    alike_to = [alike(vector, question.vector) for vector in library.vectors]
    by_meaning = sorted(range(len(library.tools)), key=lambda tool: (-alike_to[tool], tool))
    observed = dense(library.followers)
    chosen, support = by_meaning[:anchors], Counter[int]()
    for place, tool in enumerate(chosen):
        counted = {
            other: observed.get((tool, other), 0) + observed.get((other, tool), 0)
            for other in range(len(library.tools))
            if other != tool
        }
        for other in best({o: n for o, n in counted.items() if n > 0})[:each]:
            support[other] += 1_000_000 // (60 + place)
    chosen = [*chosen, *(tool for tool in best(dict(support)) if tool not in chosen)][:size]
    chosen += [tool for tool in by_meaning if tool not in chosen][: size - len(chosen)]
    return {library.tools[tool] for tool in chosen}


@given(SEEDS)
def test_the_papers_frontier_is_anchors_neighbours_and_the_next_by_meaning(seed: int) -> None:
    library = some_library(seed, tools=60, ways=40)
    question = some_question(library, seed)
    sizes = Rule(
        size=20, memories=0, remembered=0, anchors=6, sources=6, per_source=2, neighbours=14,
        producers=0, words=False,
    )  # fmt: skip
    made = expand(library, question, sizes=sizes)
    assert set(made.tools) == published(library, question, 6, 2, 20)
    assert not made.memory.ids
    assert made.anchors == 6
    first = sorted(made.tools, key=lambda tool: -made.fused[made.tools.index(tool)])[:6]
    assert set(first) == published(library, question, 6, 0, 6)


# -- without a group ----------------------------------------------------------------------------


@given(SEEDS, st.booleans())
def test_leaving_a_group_out_is_a_library_without_it(seed: int, small: bool) -> None:
    library = some_library(seed)
    for group, rows in library.members.items():
        question = some_question(library, seed, group)
        with limits(**SMALL if small else {}):
            made = expand(library, question)
            rest = expand(library.without(rows), replace(question, group=None))
        assert differing(made, rest) == []
        assert not {library.trajectories[row] for row in rows} & set(made.memory.ids)


def test_a_group_that_is_not_there_leaves_nothing_out() -> None:
    library = some_library(3)
    question = some_question(library, 3)
    assert differing(expand(library, replace(question, group=99)), expand(library, question)) == []


# -- little to go on ----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "of the", "order " * 17_000])
@pytest.mark.parametrize("tools", [0, 1, 5])
def test_empty_libraries_and_odd_requests(text: str, tools: int) -> None:
    library = some_library(1, tools=tools, ways=0)
    question = Question(text, ENCODER.vector(text))
    made = expand(library, question)
    assert len(made.tools) == tools
    assert made.memory.steps.shape == (0, 4)
    assert differing(made, naive(library, question)) == []


def test_nothing_was_encoded() -> None:
    library = some_library(2, tools=9, ways=4)
    blank = replace(
        library,
        vectors=np.zeros((9, 0), dtype=np.float32),
        request_vectors=np.zeros((4, 0), dtype=np.float32),
    )
    made = expand(blank, Question("order mail", ENCODER.vector("order mail")))
    assert made.tools
    assert made.vectors.shape == (len(made.tools), ENCODER.dimensions)
    assert not made.similarity.any()
