"""Runs constructors: fits them, times them, and builds no menu twice.

Menus are kept by everything that decides them: the constructor with its version and its own code,
and the content of what it learns from. Gold paths are no part of that, and no constructor is ever
shown one: it gets the corpus without its tasks, then one question after the other.

A constructor may also offer `frontier(question) -> list[str]`, the candidates that it chooses
from, `menus(questions) -> list[list[str]]`, many at once, which torch computes in few passes, and
its class `fingerprint() -> str` for what decides its menus besides (a model's digest).
"""

import ast
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from spm.evaluation.constructors import Constructor, Known, known
from spm.evaluation.corpus import Corpus
from spm.evaluation.digests import Digest, content, key
from spm.evaluation.menu_cache import Built, Kept
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.networks import runtime

FORMAT = 1
TOGETHER = 64  # menus that torch computes in one pass
Tell = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Run:
    """One constructor on one corpus: a menu for every task.

    Attributes:
        frontiers: what each menu was chosen from; None when the constructor does not say.
        ms: how long each menu took when it was built.
        fit_seconds: how long fitting took the first time.
        built: menus that were not kept from before.
    """

    name: str
    menus: list[list[str]]
    frontiers: list[list[str]] | None
    ms: list[float]
    fit_seconds: float
    built: int


def run(corpus: Corpus, name: str, cache: Path, tell: Tell | None = None) -> Run:
    """Build the menus of one constructor for all tasks, or take those that were kept.

    Raises:
        InputError: there is no such constructor, or the cache cannot be written.
    """
    chosen, tell = known(name), tell or _silent
    blind = replace(corpus, tasks=[], documented=None)
    head = fingerprint(blind, chosen)
    folder = cache / "menus" / blind.digest[:16]
    file = folder / f"{name}-{chosen.version}-{head[:16]}.jsonl"
    keys = [key(task.question) for task in corpus.tasks]
    with Kept(file, head, lambda: tell(f"{name}: waiting for another run", 0, 0)) as kept:
        missing = [at for at, one in enumerate(keys) if one not in kept.built]
        if missing:
            tell(f"{name}: fitting", 0, 0)
            start = time.perf_counter()
            maker = chosen.make(blind)
            kept.fitted(time.perf_counter() - start)
            number = {tool: at for at, tool in enumerate(corpus.library.tools)}
            # The same request may be asked twice.
            asked = {keys[at]: corpus.tasks[at].question for at in missing}
            there = len(keys) - len(missing)
            for some in _parts(list(asked), _together(maker)):
                built_now = _build(name, maker, [asked[one] for one in some], number)
                for one, found in zip(some, built_now, strict=True):
                    kept.add(one, found)
                there += len(some)
                tell(f"{name}: menus", there, len(keys))
        built = [kept.built[one] for one in keys]
        seconds = kept.fit_seconds or 0.0
    return _run(name, corpus.library.tools, built, seconds, len(missing))


def _run(name: str, tools: Sequence[str], built: list[Built], seconds: float, new: int) -> Run:
    frontiers = [[tools[at] for at in one.frontier] for one in built if one.frontier is not None]
    return Run(
        name,
        [[tools[at] for at in one.menu] for one in built],
        frontiers if len(frontiers) == len(built) else None,
        [one.ms for one in built],
        seconds,
        new,
    )


def _together(maker: Constructor) -> int:
    """How many menus are built side by side: one, where there is nothing to gain from more."""
    batched = hasattr(maker, "menus") and runtime.chosen() == "torch"
    return TOGETHER if batched else 1


def _parts(keys: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]


def _build(
    name: str, maker: Constructor, questions: Sequence[Question], number: dict[str, int]
) -> list[Built]:
    """Build some menus; those built together took the same share of the time."""
    start = time.perf_counter()
    if len(questions) == 1:
        menus = [maker.menu(questions[0])]
    else:
        several: Callable[[Sequence[Question]], list[list[str]]] = maker.menus  # type: ignore[attr-defined]
        menus = several(questions)
    ms = round(1000 * (time.perf_counter() - start) / len(questions), 4)
    # Only some constructors choose from a frontier.
    frontier: Callable[[Question], list[str]] | None = getattr(maker, "frontier", None)
    return [
        Built(
            _numbers(name, menu, number),
            None if frontier is None else _numbers(name, frontier(question), number),
            ms,
        )
        for question, menu in zip(questions, menus, strict=True)
    ]


def _numbers(name: str, tools: Sequence[str], number: dict[str, int]) -> list[int]:
    unknown = [tool for tool in tools if tool not in number]
    if unknown or len({*tools}) != len(tools):
        what = f"the unknown {unknown[0]!r}" if unknown else "a tool twice"
        raise ValueError(f"expected distinct tools of the library (got {what} from {name!r})")
    return [number[tool] for tool in tools]


# -- what decides a menu -----------------------------------------------------------------------


def fingerprint(corpus: Corpus, constructor: Known) -> str:
    """Equal only for the same constructor and the same content to learn from."""
    module, _, maker = constructor.place.partition(":")
    own = getattr(getattr(import_module(module), maker), "fingerprint", None)
    found = Digest()
    found.add([FORMAT, constructor.place, constructor.version, str(own()) if own else ""])
    found.add([code(module), content(corpus)])
    return found.hexdigest()


def code(module: str) -> dict[str, str]:
    """Digests of a module and of what it imports from its own folder.

    Versions are raised by hand; this finds a change for which nobody did. Layers below are left to
    versions, or a word in the registry would throw away every menu.
    """
    folder, waiting, found = f"{module.rpartition('.')[0]}.", [module], dict[str, str]()
    while waiting:
        name = waiting.pop()
        spec = find_spec(name) if name not in found else None
        if spec is None or spec.origin is None:
            continue
        source = Path(spec.origin).read_bytes()
        found[name] = hashlib.sha256(source).hexdigest()
        named = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
        waiting += [node.module for node in named if node.module and node.module.startswith(folder)]
    return found


def _silent(stage: str, done: int, total: int) -> None:
    del stage, done, total
