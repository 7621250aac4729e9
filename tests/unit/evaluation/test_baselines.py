"""Baselines: each against a slow twin on the demo, and by hand on a small shop."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version
from itertools import pairwise

import numpy as np
import pytest

from spm.evaluation.baselines import completion, plans, text, tree
from spm.evaluation.baselines.closure import Closure
from spm.evaluation.baselines.completion import Completion
from spm.evaluation.baselines.constants import chosen
from spm.evaluation.baselines.memory import Vote
from spm.evaluation.baselines.order import Template, TextOrder, precedence, usual_path, usual_tools
from spm.evaluation.baselines.plans import Dynamic
from spm.evaluation.baselines.ranks import best, joined, scaled
from spm.evaluation.baselines.text import Dense, Hybrid, Words
from spm.evaluation.baselines.transitions import Inertia, Transitions
from spm.evaluation.baselines.tree import Node, Search, branch, tried
from spm.evaluation.constructors import KNOWN, known
from spm.evaluation.corpus import Corpus, Task, texts
from spm.evaluation.optional import versions
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.from_store import load
from spm.gnn.arrays.library import Library
from spm.gnn.training.examples import Row
from spm.registry import demo
from spm.registry.errors import InputError
from spm.registry.registry import Registry
from spm.registry.search.bm25 import terms
from tests.data import corpora
from tests.data.corpora import RECEIPT, SHOP, TRACES, question
from tests.data.frontiers import Worded

BASELINES = [name for name, one in KNOWN.items() if one.place.startswith("spm.evaluation.base")]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The demo in words' vectors: of each twelve trajectories one judges and one is a task."""
    with Registry.open(str(tmp_path_factory.mktemp("baselines") / "store")) as registry:
        for manifest in demo.manifests():
            registry.register(manifest)
        registry.import_traces(demo.trajectories())
        registry.encode(Worded())
        library, documents = load(registry.store), texts(registry.store, load(registry.store))
    rows = range(len(library.trajectories))
    judge, tasks = list(rows[::12]), list(rows[6::12])
    kept = library.without(judge + tasks)
    return Corpus(
        name="demo",
        library=kept,
        documents=documents,
        teach=[],
        judge=[Row(kept, asked(library, at), named(library, library.path(at))) for at in judge],
        tasks=[
            Task(library.trajectories[at], asked(library, at), named(library, library.path(at)))
            for at in tasks
        ],
        encoder="worded",
        about=("demo",),
    )


def asked(library: Library, at: int) -> Question:
    given = frozenset(library.fields[name] for name in library.takes[library.path(at)[0]].tolist())
    return Question(library.requests[at], library.request_vectors[at], given)


def named(library: Library, tools: Iterable[int]) -> list[str]:
    return [library.tools[at] for at in tools]


def numbers(library: Library, ids: Iterable[str]) -> list[int]:
    return [library.tools.index(one) for one in ids]


def ranked(library: Library, scores: list[float], count: int = 128) -> list[str]:
    """Ids by score, equal ones by id."""
    order = sorted(range(len(scores)), key=lambda at: (-round(scores[at], 9), library.tools[at]))
    return named(library, order[:count])


def cosine(first: np.ndarray, second: np.ndarray) -> float:
    return round(sum(float(a) * float(b) for a, b in zip(first, second, strict=True)), 6)


def dense(library: Library, one: Question) -> list[float]:
    return [cosine(vector, one.vector) for vector in library.vectors]


# -- what holds for all ------------------------------------------------------------------------


@pytest.fixture(scope="module", params=BASELINES)
def made(request, shop):
    return request.param, known(request.param).make(shop)


def test_every_baseline_of_the_issue_is_known():
    wanted = (
        "bm25 dense hybrid vote transitions dynamic tree closure completion text-order template"
    )
    assert set(BASELINES) == set(wanted.split())
    for name in BASELINES:
        assert KNOWN[name].title
        assert KNOWN[name].about.endswith(".")


def test_a_menu_holds_tools_of_the_library_each_once(made, shop):
    name, constructor = made
    for task in shop.tasks:
        menu = constructor.menu(task.question)
        assert set(menu) <= set(shop.library.tools)
        assert len(menu) == len(set(menu)) <= 128
        if name != "bm25":  # which finds nothing but shared words
            assert len(menu) >= min(32, len(shop.library.tools))


def test_made_again_it_builds_the_same_menus_in_whatever_order_it_is_asked(made, shop):
    name, constructor = made
    again = known(name).make(shop)
    before = [constructor.menu(task.question) for task in shop.tasks]
    assert [again.menu(task.question) for task in reversed(shop.tasks)][::-1] == before
    assert getattr(again, "constants", None) == getattr(constructor, "constants", None)


def test_the_path_of_a_task_changes_no_menu(made, shop):
    name, constructor = made
    others = [replace(task, path=[shop.library.tools[0]], edges=()) for task in shop.tasks]
    blind = known(name).make(replace(shop, tasks=others))
    for task in shop.tasks:
        assert blind.menu(task.question) == constructor.menu(task.question)


@pytest.mark.parametrize("name", BASELINES)
def test_without_trajectories_there_is_still_a_menu(name, shop):
    library = shop.library.without(range(len(shop.library.trajectories)))
    bare = replace(shop, library=library, judge=[replace(r, library=library) for r in shop.judge])
    menu = known(name).make(bare).menu(shop.tasks[0].question)
    assert menu
    if name in ("vote", "transitions", "dynamic", "completion", "template"):  # nothing but text
        assert menu == Dense(bare).menu(shop.tasks[0].question)


@pytest.mark.parametrize("name", BASELINES)
def test_without_questions_to_choose_by_the_first_constants_are_taken(name, shop):
    made = known(name).make(replace(shop, judge=[]))
    grids = {
        "bm25": text.SATURATION, "hybrid": text.FUSION, "dynamic": plans.CONSTANTS,
        "tree": tree.CONSTANTS, "completion": completion.CONSTANTS,
    }  # fmt: skip
    if name in grids:
        assert getattr(made, "constants") == grids[name][0]  # noqa: B009
    assert made.menu(shop.tasks[0].question)


@pytest.mark.parametrize(
    ("name", "packages"),
    [("bm25", "bm25s"), ("text-order", "bm25s"), ("completion", "torch torch-geometric")],
)
def test_menus_are_told_apart_by_the_versions_of_packages(name, packages):
    module, _, maker = KNOWN[name].place.partition(":")
    said = getattr(import_module(module), maker).fingerprint().split()
    assert said[::2] == packages.split()
    assert said[1::2] == [version(package) for package in packages.split()]


def test_a_package_that_is_not_there_has_no_version():
    assert versions("spm-registry-of-nobody") == "spm-registry-of-nobody missing"


# -- choosing ----------------------------------------------------------------------------------


def test_constants_are_chosen_by_chain_then_by_order():
    corpus = corpora.corpus()
    right, path = corpus.judge[0].path, numbers(corpus.library, corpus.judge[0].path)
    assert right == RECEIPT
    menus = {
        "half": path[:2],
        "wrong order": path[::-1],
        "right": path,
        "right as well": [*path, 7],
    }
    grid = list(menus)
    assert chosen(corpus, grid, lambda one: one, lambda _, key: menus[key]) == "right"
    assert chosen(corpus, grid[:2], lambda one: one, lambda _, key: menus[key]) == "wrong order"
    assert chosen(corpus, grid[::-1], lambda one: one, lambda _, key: menus[key]) == grid[3]
    assert chosen(corpus, grid[:1], lambda one: pytest.fail(one.text), lambda _, key: []) == "half"


def test_a_question_is_looked_at_once_for_the_whole_grid(shop):
    looked = []
    chosen(shop, [1, 2, 3], lambda one: looked.append(one), lambda _, key: [key])
    assert looked == [row.question for row in shop.judge]


def test_ranks_keep_ties_by_id_and_each_tool_once():
    assert best(np.array([0.5, 0.7, 0.5, 0.0])) == [1, 0, 2, 3]
    assert best(np.array([0.1 + 0.2, 0.3])) == [0, 1]  # not told apart by the last bit
    assert best(np.array([0.0, 1.0, 2.0]), 2, found=True) == [2, 1]
    assert best(np.array([0.0, 1.0]), found=True) == [1]
    assert joined([3, 1], [1, 2], [0], count=3) == [3, 1, 2]
    assert scaled(np.array([-1.0, 2.0, 4.0])).tolist() == [0.0, 0.5, 1.0]
    assert scaled(np.zeros(2)).tolist() == [0.0, 0.0]


# -- text --------------------------------------------------------------------------------------


def test_dense_is_the_order_of_cosines(shop):
    for task in shop.tasks[:5]:
        assert Dense(shop).menu(task.question) == ranked(
            shop.library, dense(shop.library, task.question)
        )


def words(documents: list[str], one: str, saturation: float, length: float) -> list[float]:
    """BM25 as Lucene has it, term by term."""
    held = [Counter(terms(document)) for document in documents]
    mean = sum(count.total() for count in held) / len(held)
    scores = [0.0] * len(held)
    for term in terms(one):
        having = sum(term in count for count in held)
        idf = math.log(1 + (len(held) - having + 0.5) / (having + 0.5))
        for at, count in enumerate(held):
            norm = saturation * (1 - length + length * count.total() / mean)
            scores[at] += idf * count[term] / (count[term] + norm) if count[term] else 0.0
    return [round(score, 6) for score in scores]


def test_words_are_scored_as_lucene_does(shop):
    made = Words(shop)
    for task in shop.tasks:
        scores = words(shop.documents, task.question.text, *made.constants)
        found = [tool for tool, score in zip(shop.library.tools, scores, strict=True) if score]
        assert made.scores(task.question) == pytest.approx(scores, abs=2e-6)
        assert made.menu(task.question) == [t for t in ranked(shop.library, scores) if t in found]


def test_words_that_no_document_has_find_nothing(shop):
    assert Words(shop).menu(question("zzz qqq")) == []
    assert Words(shop).menu(question("")) == []


def test_hybrid_adds_reciprocal_ranks(shop):
    made = Hybrid(shop)
    constant, share = made.constants
    for task in shop.tasks[:5]:
        scores: dict[str, float] = dict.fromkeys(shop.library.tools, 0.0)
        for weight, menu in (
            (1 - share, Dense(shop).menu(task.question)),
            (share, Words(shop).menu(task.question)),
        ):
            for place, tool in enumerate(menu, 1):
                scores[tool] += weight / (constant + place)
        wanted = ranked(shop.library, [scores[tool] for tool in shop.library.tools])
        assert made.menu(task.question) == [tool for tool in wanted if scores[tool]]


def test_a_baseline_without_its_package_says_what_to_install(shop, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(InputError, match=r"'bm25' needs .* pip install 'spm-registry\[eval\]'"):
        Words(shop)


# -- memory ------------------------------------------------------------------------------------


def nearest(library: Library, one: Question, count: int) -> list[tuple[int, float]]:
    found = [cosine(vector, one.vector) for vector in library.request_vectors]
    order = sorted(range(len(found)), key=lambda row: (-found[row], row))
    return [(row, max(0.0, found[row])) for row in order[:count]]


def test_the_ten_nearest_requests_vote(shop):
    made = Vote(shop)
    for task in shop.tasks:
        scores = dense(shop.library, task.question)
        for row, similarity in nearest(shop.library, task.question, 10):
            for tool in set(shop.library.paths[row].tolist()):
                scores[tool] += made.constants * similarity
        assert made.menu(task.question) == ranked(shop.library, scores)


# -- transitions -------------------------------------------------------------------------------


def following(library: Library) -> dict[int, dict[int, float]]:
    """How likely each tool comes right after another; -1 is the beginning."""
    counts: dict[int, Counter[int]] = {-1: Counter()}
    for row in range(len(library.trajectories)):
        path = library.paths[row].tolist()
        counts[-1][path[0]] += 1
        for first, second in pairwise(path):
            if first != second:
                counts.setdefault(first, Counter())[second] += 1
    return {
        first: {tool: count / seconds.total() for tool, count in seconds.items()}
        for first, seconds in counts.items()
    }


def test_inertia_is_the_share_of_transitions(shop):
    made, wanted = Inertia(shop.library), following(shop.library)
    for tool in range(len(shop.library.tools)):
        others, shares = made.after(tool)
        found = {a: b for a, b in zip(others.tolist(), shares.tolist(), strict=True) if b}
        assert found == pytest.approx(wanted.get(tool, {}))
    assert {at: s for at, s in enumerate(made.entry.tolist()) if s} == pytest.approx(wanted[-1])


@pytest.mark.parametrize("window", [1, 2, 32])
def test_the_walk_takes_what_is_drawn_and_fits(shop, window):
    made, after = Transitions(shop), following(shop.library)
    made.constants = (0.4, window)
    for task in shop.tasks[:5]:
        fits = dense(shop.library, task.question)
        top = max(fits)
        placed: list[int] = []
        while len(placed) < 32:
            before = [-1, *placed] if window == 32 else (placed[-window:] or [-1])
            scores = {
                tool: round(
                    0.6 * max(after.get(one, {}).get(tool, 0.0) for one in before)
                    + 0.4 * max(0.0, fits[tool]) / top,
                    9,
                )
                for tool in range(len(fits))
                if tool not in placed
            }
            placed.append(min(scores, key=lambda tool: (-scores[tool], tool)))
        rest = [
            tool for tool in ranked(shop.library, fits) if tool not in named(shop.library, placed)
        ]
        assert made.menu(task.question) == named(shop.library, placed) + rest


# -- plans -------------------------------------------------------------------------------------


def test_a_step_retrieves_what_followed_the_step_before_in_similar_requests(shop):
    made = Dynamic(shop)
    scale, count, lead = made.constants
    for task in shop.tasks[:8]:
        near = nearest(shop.library, task.question, plans.DEMONSTRATIONS)
        weights = [math.exp(-(near[0][1] - similarity) / scale) for _, similarity in near]
        ways = [shop.library.path(row) for row, _ in near]
        fits = dense(shop.library, task.question)
        size = len(fits)
        used = [
            sum(w for w, way in zip(weights, ways, strict=True) if at in way) / sum(weights)
            for at in range(size)
        ]
        plan: list[int] = []
        steps: list[list[int]] = []
        while len(plan) < 8:
            likely = [0.0] * size
            for weight, way in zip(weights, ways, strict=True):
                for first, second in pairwise([-1, *way]):
                    if first == (plan[-1] if plan else -1) and second not in plan:
                        likely[second] += weight
            total = sum(likely)
            share = [one / total for one in likely] if total else used
            scores = {t: share[t] + 0.01 * fits[t] for t in range(size) if t not in plan}
            order = sorted(scores, key=lambda tool: (-round(scores[tool], 9), tool))
            steps.append(order[: max(count, lead)])
            plan.append(order[0])
        rest = ranked(shop.library, [u + 0.01 * f for u, f in zip(used, fits, strict=True)])
        menu = joined(*(step[:count] for step in steps), numbers(shop.library, rest))
        front = [t for t in joined(*(step[:lead] for step in steps)) if t in menu[:32]]
        assert made.menu(task.question) == named(shop.library, joined(front, menu))


def test_a_known_request_is_planned_as_it_was_solved():
    corpus = replace(corpora.corpus(), judge=[])
    made = Dynamic(corpus)
    made.constants = (0.03, 4, 1)  # the plan in front
    for request, path in TRACES[:3]:
        assert made.menu(question(request))[: len(path)] == path


# -- tree --------------------------------------------------------------------------------------


def test_a_child_is_picked_for_its_reward_or_for_its_promise():
    root = Node(-1, 1.0, 0, visits=3)
    root.children = [Node(5, 0.5, 1, visits=2, value=0.6), Node(4, 0.9, 1, visits=1, value=0.2)]
    spread = 1.4 * math.sqrt(math.log(3))
    assert 0.6 + spread * 0.5 / 3 < 0.2 + spread * 0.9 / 2
    assert root.pick() is root.children[1]
    root.children[1].open = False
    assert root.pick() is root.children[0]
    root.children[0].open = False
    assert root.pick() is None
    equal = Node(-1, 1.0, 0, children=[Node(9, 0.5, 1), Node(3, 0.5, 1)])
    assert equal.pick() is equal.children[1]  # ties by id


def test_the_mean_of_rewards_is_kept():
    node = Node(1, 1.0, 1)
    for reward in (0.2, 0.4, 0.9):
        node.update(reward)
    assert node.visits == 3
    assert node.value == pytest.approx(0.5)


def test_a_call_is_rewarded_for_inputs_that_request_and_earlier_calls_give():
    library = corpora.library()
    search = Search(library, Inertia(library), np.zeros(8), 1.0, 8)
    number = {tool: at for at, tool in enumerate(library.tools)}
    trail = [
        Node(number[f"shop/{name}"], 0.5, 1) for name in ("find_order", "make_receipt", "send")
    ]
    nothing: frozenset[int] = frozenset()
    shown = tree.given(library, frozenset({"order_number", "Order"}))
    assert shown == {library.fields.index("order_number"), library.fields.index("order")}
    assert search._reward([], nothing) == 0.0
    assert search._reward(trail[:1], nothing) == 0.25  # order_number is missing
    assert search._reward(trail[:1], shown) == 0.75
    assert search._reward(trail, shown) == 0.5  # the receipt is there, the mail is not
    assert search._reward([Node(number["shop/wait"], 0.5, 1)], nothing) == 0.75  # needs nothing


def test_the_tree_follows_observed_transitions_from_a_usual_beginning():
    library = corpora.library()
    search = Search(library, Inertia(library), np.zeros(8), 1.0, 8)
    root = search.run(tree.given(library, frozenset({"order_number"})))
    assert root.visits == tree.ROLLOUTS
    assert {child.tool for child in root.children} == set(
        numbers(library, ["shop/find_order", "shop/weather"])
    )  # three begin with the one, one with the other: 1/3 is not below 0.3
    assert named(library, branch(root, "visits"))[:2] in (
        ["shop/find_order", "shop/refund"],
        ["shop/find_order", "shop/find_mail"],
    )
    deepest, layer = 0, root.children
    while layer:
        deepest, layer = deepest + 1, [child for node in layer for child in node.children]
    assert deepest <= 8
    assert set(branch(root, "value")) <= set(tried(root))


def test_tools_that_were_tried_more_often_stand_before_others():
    root = Node(-1, 1.0, 0)
    twice = Node(2, 0.4, 1, visits=2, children=[Node(7, 0.9, 2), Node(1, 0.5, 2, visits=2)])
    root.children = [twice, Node(7, 0.3, 1, visits=1), Node(0, 0.3, 1), Node(5, 0.8, 1)]
    assert tried(root) == [1, 2, 7, 5, 0]


# -- closure -----------------------------------------------------------------------------------


def flat(corpus: Corpus, near: list[str]) -> Corpus:
    """A corpus in which the request [1, 0, …] is near to these tools, in this order."""
    vectors = np.zeros((len(corpus.library.tools), 6), dtype=np.float32)
    for place, tool in enumerate(near):
        vectors[corpus.library.tools.index(tool), 0] = 1 - place / 10
    return replace(corpus, library=replace(corpus.library, vectors=vectors), judge=[])


def test_dependencies_stand_before_who_needs_them_or_behind():
    corpus = flat(corpora.corpus(), ["shop/send", "shop/weather"])
    one = replace(question("x"), vector=np.eye(6, dtype=np.float32)[0])
    made = Closure(corpus)
    made.constants = (1, 1, 16, True)
    before = made.menu(one)
    assert before[:4] == ["shop/find_order", "shop/find_mail", "shop/make_receipt", "shop/send"]
    assert before[4] == "shop/weather"
    made.constants = (1, 1, 16, False)
    assert made.menu(one)[:4] == [
        "shop/send", "shop/find_mail", "shop/find_order", "shop/make_receipt"
    ]  # fmt: skip
    made.constants = (1, 1, 2, True)  # two dependencies at most
    assert made.menu(one)[:3] == ["shop/find_order", "shop/find_mail", "shop/send"]
    made.constants = (2, 1, 16, True)
    assert made.menu(one)[:5] == before[:5]
    made.constants = (1, 1, 16, True)
    assert made.menu(replace(one, given=frozenset({"mail", "Order"})))[:2] == [
        "shop/make_receipt", "shop/send"
    ]  # fmt: skip


def test_of_several_makers_the_nearest_to_the_request_is_taken():
    tools = {**SHOP, "shop/guess_mail": ([], ["mail"])}
    corpus = flat(corpora.corpus(corpora.library(tools)), ["shop/send", "shop/guess_mail"])
    one = replace(question("x"), vector=np.eye(6, dtype=np.float32)[0])
    made = Closure(corpus)
    made.constants = (1, 1, 16, True)
    assert made.menu(one)[:4] == [
        "shop/guess_mail", "shop/find_order", "shop/make_receipt", "shop/send"
    ]  # fmt: skip
    made.constants = (1, 2, 16, True)
    assert made.menu(one)[:5] == [
        "shop/guess_mail", "shop/find_order", "shop/find_mail", "shop/make_receipt", "shop/send"
    ]  # fmt: skip


def test_tools_that_need_each_other_end_the_closure():
    tools = {"a/one": (["x"], ["y"]), "a/two": (["y"], ["x"])}
    corpus = flat(corpora.corpus(corpora.library(tools, [("do", ["a/one"])])), ["a/one"])
    made = Closure(corpus)
    assert made.menu(replace(question("x"), vector=np.eye(6, dtype=np.float32)[0])) == [
        "a/two", "a/one"
    ]  # fmt: skip


# -- order -------------------------------------------------------------------------------------


def test_precedence_counts_who_came_first(shop):
    tools = list(range(0, len(shop.library.tools), 2))
    found = precedence(shop.library, tools)
    before = Counter(
        (first, second)
        for row in range(len(shop.library.trajectories))
        for at, first in enumerate(shop.library.path(row))
        for second in shop.library.path(row)[at + 1 :]
    )
    for i, first in enumerate(tools):
        for j, second in enumerate(tools):
            wanted = math.log((before[first, second] + 1) / (before[second, first] + 1))
            assert found[i, j] == pytest.approx(wanted)


@pytest.mark.parametrize(("lead", "weight"), [(8, 0.0), (8, 1.0), (32, 0.3)])
def test_text_tools_are_put_into_path_order(shop, lead, weight):
    made = TextOrder(shop)
    made.constants = (lead, weight)
    for task in shop.tasks[:5]:
        menu = Hybrid(shop).menu(task.question)
        tools = numbers(shop.library, menu[:lead])
        rho = precedence(shop.library, tools)
        left, order = list(range(len(tools))), []
        while left:
            scores = {
                i: round(sum(rho[i, j] for j in left) / len(left) - weight * i / len(tools), 9)
                for i in left
            }
            order.append(min(left, key=lambda i: (-scores[i], i)))
            left.remove(order[-1])
        assert made.menu(task.question) == [menu[i] for i in order] + menu[len(tools) :]


def test_the_same_template_stands_in_front_of_every_menu(shop):
    made = Template(shop)
    for constants, template in made._templates.items():
        made.constants = constants
        assert 0 < len(template) <= constants[1]
        for task in shop.tasks[:3]:
            menu = made.menu(task.question)
            assert menu[: len(template)] == named(shop.library, template)
            rest = [
                tool
                for tool in Dense(shop).menu(task.question)
                if tool not in menu[: len(template)]
            ]
            assert menu[len(template) :] == rest[: 128 - len(template)]


def test_templates_are_the_usual_paths_and_the_usual_tools():
    traces = [
        ("a", ["shop/wait", "shop/send"]),
        ("b", ["shop/send", "shop/echo"]),
        ("c", ["shop/send", "shop/echo", "shop/send"]),  # the same path, with a repeat
        ("d", ["shop/echo", "shop/find_mail", "shop/send"]),
    ]
    library = corpora.library(SHOP, traces)
    assert named(library, usual_path(library, 3)) == ["shop/send", "shop/echo", "shop/find_mail"]
    # Mean places: send (1/2 + 0 + 0 + 2/3) / 4, echo (1/2 + 1/2 + 0) / 3, find_mail 1/3, wait 0.
    assert named(library, usual_tools(library, 2)) == ["shop/send", "shop/echo"]
    assert named(library, usual_tools(library, 9)) == [
        "shop/wait", "shop/send", "shop/echo", "shop/find_mail"
    ]  # fmt: skip


# -- completion --------------------------------------------------------------------------------


def test_vectors_are_spread_over_requests_scenes_and_tools():
    library = corpora.library()
    tools, requests = len(library.tools), len(library.trajectories)
    paths = [set(library.path(row)) for row in range(requests)]
    scenes: list[set[int]] = []
    for path in paths:
        if path not in scenes:
            scenes.append(path)
    assert len(scenes) == 3  # two requests were solved by the same two tools
    size = tools + requests + len(scenes)
    near = np.zeros((size, size))
    for row, path in enumerate(paths):
        for tool in path:
            near[tools + row, tool] = near[tool, tools + row] = 1
        scene = tools + requests + scenes.index(path)
        near[tools + row, scene] = near[scene, tools + row] = 1
    for at, members in enumerate(scenes):
        for tool in members:
            near[tools + requests + at, tool] = near[tool, tools + requests + at] = 1
    degree = near.sum(axis=1)
    scale = np.divide(1, np.sqrt(degree), where=degree > 0, out=np.zeros(size))
    step = scale[:, None] * near * scale
    start = np.concatenate(
        [library.vectors, library.request_vectors]
        + [library.vectors[sorted(members)].mean(axis=0)[None] for members in scenes]
    )
    spread = (start + step @ start + step @ step @ start)[:tools]
    spread /= np.linalg.norm(spread, axis=1, keepdims=True)
    found = completion.learned(library, (0,))
    assert found[0] == pytest.approx(spread, abs=1e-5)


def test_learning_brings_requests_nearer_to_the_tools_that_solved_them(shop):
    found = completion.learned(shop.library, (0, 8, 16))

    def loss(vectors: np.ndarray) -> float:
        said = shop.library.request_vectors @ vectors.T / completion.HEAT
        said -= np.log(np.exp(said).sum(axis=1, keepdims=True))
        rows = range(len(shop.library.trajectories))
        return -float(np.mean([said[row, shop.library.path(row)].mean() for row in rows]))

    assert loss(found[16]) < loss(found[8]) - 0.1 < loss(found[0]) - 0.2


def test_a_request_learns_without_its_own_edges_and_its_scene():
    import torch

    library = corpora.library()
    edges, start, scenes = completion.graph(library)
    network = completion._network(torch, len(start), start.shape[1])
    learning = completion._Learning(torch, library, network, torch.from_numpy(edges), scenes)
    kept = edges[:, learning._others(torch.tensor([1])).numpy()]
    tools, requests = len(library.tools), len(library.trajectories)
    assert scenes[1] == scenes[3]  # another request of the same scene stays, its scene does not
    assert tools + 1 not in kept
    assert tools + requests + scenes[1] not in kept
    assert tools + 3 in kept


def test_torch_keeps_its_threads_and_its_chance(shop):
    import torch

    threads = torch.get_num_threads()
    torch.manual_seed(3)
    before = torch.get_rng_state()
    Completion(replace(shop, judge=[]))
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.get_rng_state(), before)
