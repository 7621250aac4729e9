"""Whatever a file holds, the import works or says what is wrong; it never breaks."""

import copy
import json
import random

import pytest

from benchmarks.datasets.catalogue import BENCHMARKS
from benchmarks.datasets.files import Source
from benchmarks.datasets.folder_writer import fingerprint
from benchmarks.datasets.importer import import_benchmark
from benchmarks.datasets.split import assign
from spm.registry.errors import InputError

SEED, MOST = 7, 150
STRANGE = [None, True, -1, 2.5, "", "strange", [], [3], {}, {"strange": 1}]


def places(value, path=()):
    """The paths of all values in a JSON value."""
    yield path
    inner = dict(enumerate(value)) if isinstance(value, list) else value
    for key, one in inner.items() if isinstance(inner, dict) else ():
        yield from places(one, (*path, key))


def damaged(value, path, strange):
    """The value with one place replaced, or removed when there is nothing to replace it by."""
    if not path:
        return strange
    made = copy.deepcopy(value)
    at = made
    for key in path[:-1]:
        at = at[key]
    if strange is KeyError:
        del at[path[-1]]
    else:
        at[path[-1]] = strange
    return made


def refusal(name, source):
    """What a converter says when it refuses; what it makes can be written and split."""
    try:
        made = BENCHMARKS[name].convert(Source([source], "About it."), True)
    except InputError as error:
        return str(error)
    assert fingerprint(made.tools, made.episodes, *made.extras.values())
    assert len(assign(name, made.episodes, BENCHMARKS[name].group)) == len(made.episodes)
    return ""


@pytest.mark.parametrize("name", BENCHMARKS)
def test_damage_anywhere_is_an_error_that_helps_or_none(name, original, originals):
    source, chance, told = original(name), random.Random(SEED), 0
    files = {n: c for n, c in originals.files_of(name).items() if not isinstance(c, str)}
    everywhere = [(file, path) for file, content in files.items() for path in places(content)]
    for file, path in chance.sample(everywhere, min(MOST, len(everywhere))):
        strange = chance.choice(STRANGE if not path else [*STRANGE, KeyError])
        originals.lay(source, {file: damaged(files[file], path, strange)})
        if said := refusal(name, source):
            told += 1
            assert str(source) in said, (file, path, strange)
        originals.lay(source, {file: files[file]})
    assert told > 20


@pytest.mark.parametrize("name", ["taskbench", "traject_bench"])
def test_files_that_were_cut_are_errors(name, original, originals, tmp_path):
    source = original(name)
    for file, content in originals.files_of(name).items():
        text = content if isinstance(content, str) else json.dumps(content)
        if len(text) < 10 or file.endswith(".csv"):
            continue
        (source / file).write_text(text[:-5])
        with pytest.raises(InputError, match="not JSON"):
            import_benchmark(name, [source], tmp_path / "out")
        (source / file).write_text(text)
