"""TRAJECT-Bench: tools of ten domains, parallel and sequential trajectories over them.

Figures are reported on the release of November 2025 with two exceptions, both in older states of
the repository, which may be given as further folders: the parallel trajectories of one domain, and
documents of tools that trajectories call but the tool lists no longer hold.
"""

from collections import Counter
from collections.abc import Iterator

from benchmarks.datasets.files import Source
from benchmarks.datasets.records import Record
from benchmarks.datasets.rows import Edge, Made, collapsed, episode
from benchmarks.datasets.traject_tools import Library, squeezed

DOMAINS = (
    "Education", "Email", "Finance", "Gaming", "Mapping", "Music", "News_Media", "Travel",
    "Weather", "eCommerce",
)  # fmt: skip
SEQUENTIAL = tuple(domain for domain in DOMAINS if domain != "Email")
EARLIER = "public_data/sequential/Travel/simple_ver.json"
OLDER = "News_Media"  # the domain whose older parallel trajectories figures are reported on
KINDS = {"hard": "hard_ver.json", "simple": "simple_ver.json"}
_NEXT = "param_for_next_tool"
OLDER_KINDS = {"hard": "hard_ver.json", "simple": "simple_ver copy.json"}


def convert(source: Source, full: bool = False) -> Made:
    """Read tool lists and trajectories; with `full` all of the newest state and nothing older."""
    made, library = Made(), Library()
    newest, *older = source.each()
    older = [] if full else older
    copy = _parallel_file(OLDER, OLDER_KINDS["simple"])
    reported = next((one for one in older if one.find(copy)), None)
    if reported is None and not full:
        made.notes.append(
            f"The newest parallel trajectories of {OLDER} were taken. The reported figures have "
            "older ones: give a checkout of dd7660e as a second folder."
        )
    for domain in DOMAINS:
        for record in newest.records(f"public_data/tools/{domain}_tool.json"):
            library.listed(record)
    trajectories = [*_parallel(newest, reported), *_sequential(newest)]
    for _, steps, _ in trajectories:
        for step in steps:
            library.observe(step)
    missing = _missing(library, trajectories)
    _document(library, missing, newest, but=f"/{OLDER}/" if reported else "")
    for one in older:
        _document(library, missing, one)
    made.merged, made.tools, made.extras["links"] = library.merged, library.rows(), library.links()
    made.extras["derived_state"] = []
    for id_, steps, record in sorted(trajectories, key=lambda one: one[0]):
        _add(made, library, id_, steps, record)
    return made


Trajectory = tuple[str, list[Record], Record]


def _parallel(newest: Source, reported: Source | None) -> Iterator[Trajectory]:
    for domain in DOMAINS:
        source, kinds = newest, KINDS
        if domain == OLDER and reported:
            source, kinds = reported, OLDER_KINDS
        for kind, file in kinds.items():
            for number, record in enumerate(source.records(_parallel_file(domain, file))):
                yield f"par/{domain}/{number:03}/{kind}", _steps(record), record


def _parallel_file(domain: str, file: str) -> str:
    return f"public_data/parallel/{domain}/{file}"


def _sequential(newest: Source) -> Iterator[Trajectory]:
    files = [("seq-v2", d, f"public_data/sequential/{d}/traj_query.json") for d in SEQUENTIAL]
    if newest.find(EARLIER):
        files.append(("seq-v1", "Travel", EARLIER))
    for version, domain, file in files:
        sequences: dict[tuple[str, ...], int] = {}
        counts: Counter[int] = Counter()
        for record in newest.records(file):
            steps = _steps(record)
            called = tuple(step.need("tool name") for step in steps)
            number = sequences.setdefault(called, len(sequences))
            yield f"{version}/{domain}/{number:03}/{counts[number]:02}", steps, record
            counts[number] += 1


def _steps(record: Record) -> list[Record]:
    return record.objects("tool_list" if "tool_list" in record else "tool list")


def _missing(library: Library, trajectories: list[Trajectory]) -> set[str]:
    return {
        squeezed(step["tool name"])
        for _, steps, _ in trajectories
        for step in steps
        if not library.find(step.need("tool name"))
    }


def _document(library: Library, missing: set[str], source: Source, but: str = "") -> None:
    """Document called tools that no list holds by how parallel trajectories describe them."""
    for pattern in ("public_data/parallel/*/*.json", "public_data/v*/parallel/*/*.json"):
        for file in source.names(pattern):
            if but and but in file:  # not what figures are reported on
                continue
            for record in source.records(file):
                for step in _steps(record):
                    if squeezed(step.need("tool name")) in missing:
                        library.describe(step)


def _add(made: Made, library: Library, id_: str, steps: list[Record], record: Record) -> None:
    names = [library.find(step["tool name"]) or "" for step in steps]
    in_order = id_.startswith("seq")
    edges: list[Edge] = [
        (first, second)
        for step, first, second in zip(steps, names, names[1:], strict=False)
        if in_order and first != second and _passed(step)
    ]
    row = episode(id_, record.need("query"), collapsed(names), edges)
    if made.keep(library, row):
        held = _held(steps[:1] if in_order else steps)
        made.extras["derived_state"].append({"id": id_, "given": held})


def _passed(step: Record) -> bool:
    """Whether a step says what it gives to the next one."""
    return bool(step.get("sequence_step") and step.inner("sequence_step").get(_NEXT))


def _held(steps: list[Record]) -> list[str]:
    """The arguments that have a value."""
    found: dict[str, None] = {}
    for step in steps:
        for kind in ("required parameters", "optional parameters"):
            for argument in step.some(kind):
                if argument.get("value") not in (None, "", [], {}):
                    found[argument.need("name")] = None
    return list(found)
