"""Real downloads of the benchmarks become exactly the data sets that figures are reported on.

`SPM_TEST_ORIGINALS` names a folder with checkouts, each in a folder `owner+name@commit` with the
first seven signs of the commit, as `benchmarks.datasets.catalogue` names them: for example
`IBM+NESTFUL@053cbde`. What is not there is skipped. Every file is compared where the data sets are.
"""

import gzip
import json
import os
from pathlib import Path

import pytest

from benchmarks.datasets.catalogue import BENCHMARKS
from benchmarks.datasets.importer import import_benchmark

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
# Extra files that are not the same on purpose: a record without gold has no paraphrases here.
FEWER = {("taskbench", "paraphrases.jsonl.gz"): 5}


def checkouts(name: str) -> list[Path]:
    """The checkouts of a benchmark that are here."""
    top = os.environ.get("SPM_TEST_ORIGINALS")
    if not top:
        pytest.skip("SPM_TEST_ORIGINALS does not name a folder with checkouts")
    places = []
    for repository in BENCHMARKS[name].repositories:
        owner, repository_name = repository.url.split("/")[-2:]
        places.append(Path(top) / f"{owner}+{repository_name}@{repository.commit[:7]}")
    found = [place for place in places if place.is_dir()]
    # ToolHop's whole file and the rows that were published again are as good as each other.
    if not found or (len(found) < len(places) and name != "toolhop"):
        missing = ", ".join(place.name for place in places if not place.is_dir())
        pytest.skip(f"SPM_TEST_ORIGINALS has no {missing}")
    return found


def rows(file: Path) -> list[str]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.dumps(json.loads(line), sort_keys=True) for line in lines]


@pytest.mark.parametrize("name", [name for name, one in BENCHMARKS.items() if one.reported])
def test_a_download_gives_the_data_that_figures_are_reported_on(name, tmp_path):
    found = import_benchmark(name, checkouts(name), tmp_path / name)
    print(f"{name}: {found.tools} tools, {found.episodes}, left out {found.dropped}")
    assert found.as_reported
    for file in sorted((SHARED / name).glob("*.jsonl.gz")):
        mine, theirs = rows(tmp_path / name / file.name), rows(file)
        if fewer := FEWER.get((name, file.name)):
            assert len(theirs) - len(mine) == fewer
            theirs = [row for row in theirs if row in set(mine)]
        assert mine == theirs, file.name
        print(f"  {file.name}: {len(mine)} rows, all the same")
