"""Generated registries with cheap vectors, and processes that serve them."""

import numpy as np
import pytest

from benchmarks.speed import engines, generator, library, scale, warm
from benchmarks.speed.workers import Server
from spm.registry.errors import InputError
from spm.registry.registry import Registry

REQUESTS = list(generator.requests(4))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return library.library(tmp_path_factory.mktemp("bench"), 60, 30)


def test_requests_are_the_same_for_the_same_seed_and_have_clauses():
    assert list(generator.requests(4)) == REQUESTS
    assert list(generator.requests(4, seed=1)) != REQUESTS
    lengths = [len(text.split()) for text in generator.requests(50)]
    assert 8 <= min(lengths) < 20 < max(lengths) < 40


def test_a_library_is_built_once_whole_and_answers_menus(small):
    with Registry.open(str(small)) as registry:
        assert registry.status()["tools"] == 60
        assert registry.encoded()
        menu = registry.menu(REQUESTS[0])
        assert len(menu.items) == 32
    mark = small / "mark"
    mark.touch()
    assert library.library(small.parent, 60, 30) == small
    assert mark.exists()
    mark.unlink()
    assert [path.name for path in small.parent.iterdir()] == [small.name]  # no draft is left


def test_a_library_that_cannot_be_built_leaves_nothing(tmp_path):
    (file := tmp_path / "file").touch()
    with pytest.raises(InputError, match="Choose another with --cache"):
        library.library(file, 60, 30)
    with pytest.raises(InputError, match="failed"):
        library.library(tmp_path / "cache", 60, "none")  # type: ignore[arg-type]
    assert not list((tmp_path / "cache").iterdir())


def test_cheap_vectors_are_unit_deterministic_and_near_their_words(encoder):
    texts = ["Get the order number 1", "Get the order number 2", "Book the hotel room"]
    made = library.approximate(encoder, texts)
    assert np.allclose(np.linalg.norm(made, axis=1), 1, atol=1e-5)
    assert np.array_equal(made[1:2], library.approximate(encoder, texts[1:2]))
    assert not np.array_equal(made[0], made[1])
    assert made[0] @ made[1] > made[0] @ made[2]


def test_a_server_times_menus_with_their_stages_and_its_memory(small):
    with Server(str(small)) as server:
        memory = server.warm(REQUESTS[:1])
        for text in REQUESTS:
            server.menu(text)
            server.top(text)
    assert (server.engine, server.tools) == ("embedded", 60)
    assert len(server.menus.whole.wall) == len(server.semantic.whole.wall) == 4
    for at, whole in enumerate(server.menus.whole.wall):
        inside = sum(ms[at] for name, ms in server.menus.stages.items() if name != "vector search")
        assert 0.5 * whole < inside < whole
    assert not memory or 30 < memory["pss"] <= memory["rss"]


def test_a_server_that_fails_says_why(tmp_path):
    (tmp_path / "journal.spm").write_text("damaged")
    with pytest.raises(InputError, match="failed: "):
        Server(str(tmp_path))


def test_warm_compares_in_one_run_and_claims_no_goal_on_a_small_library(small):
    found = warm.measure(str(small), REQUESTS)
    assert found.settings == {"engine": "embedded", "tools": 60, "requests": 4}
    names = [row.name for row in found.rows]
    assert names[:2] == ["semantic top 32", "whole menu"]
    assert {"· encoding", "· search", "· networks and order"} <= set(names)
    one = found.figure("whole menu / semantic top 32 with the same encoder")
    assert one.value > 0  # how much is for a quiet machine to say
    assert not any(figure.verdict for figure in found.figures)


def test_scale_compares_sizes_without_encoding_and_vector_search(small):
    other = library.library(small.parent, 40, 30)
    found = scale.measure({60: small, 40: other}, REQUESTS)
    rows = {row.name: row for row in found.rows}
    rest, whole = rows[f"60: {scale.REST}"], rows["60: whole menu"]
    assert 0 < rest.p50 < whole.p50
    assert found.figure(f"{scale.REST}, 60 / 40 tools").value > 0


def test_a_store_that_is_not_empty_is_spared(small):
    with pytest.raises(InputError, match="is not empty"):
        engines.measure([str(small)], 20, 5, REQUESTS)
