"""A route brings along who makes its inputs, and is wary of what cannot be undone."""

import numpy as np
import pytest

from spm.gnn.constructor import _close_over_inputs
from spm.gnn.decoding import SHIPPED, Scores
from spm.registry.models import Manifest, Trace
from spm.registry.registry import Registry

# Tools 0 to 5 and the fields a to d: 0 makes a; 1 and 2 make b of a; 3 needs b; 4 and 5 wait for
# each other's c and d.
TAKES = [[], ["a"], ["a"], ["b"], ["c"], ["d"]]
GIVES = [["a"], ["b"], ["b"], [], ["d"], ["c"]]
FIELDS = "abcd"


def table(rows):
    return np.array([[float(name in row) for name in FIELDS] for row in rows], dtype=np.float32)


def closed(kept, belongs, given="", room=8, ran=0, strictness=1.0):
    size = len(TAKES)
    pair, one = np.zeros((size, size), np.float32), np.zeros(size, np.float32)
    scores = Scores(
        member=one, entry=one, slot=np.zeros((size, 8), np.float32), precedence=pair, follows=pair,
        feeds=pair, recalled=pair, takes=table(TAKES), gives=table(GIVES),
        belongs=np.array(belongs, dtype=np.float32), strictness=strictness,
    )  # fmt: skip
    return _close_over_inputs(kept, scores, table([given])[0], room, ran, SHIPPED)


LIKELIER = [0.3, 0.2, 0.4, 0.9, 0.5, 0.5]


def test_who_makes_an_input_comes_before_who_needs_it_and_so_on():
    assert closed([3], LIKELIER) == [0, 2, 3]


def test_what_is_there_is_not_made_again():
    assert closed([3], LIKELIER, given="b") == [3]
    assert closed([3], LIKELIER, given="a") == [2, 3]
    assert closed([0, 1, 3], LIKELIER) == [0, 1, 3], "b is there, whoever else would make it"


def test_a_maker_that_stood_behind_comes_forward():
    assert closed([3, 2, 0], LIKELIER) == [0, 2, 3]


def test_names_that_meet_by_chance_bring_nobody_along():
    assert closed([3], LIKELIER, strictness=SHIPPED.promised - 0.01) == [3]


def test_an_unlikely_maker_stays_a_backup():
    little = SHIPPED.likely - 0.01
    assert closed([3], [0.9, little, little, 0.9, 0, 0]) == [3]
    assert closed([3], [little, 0.9, 0.1, 0.9, 0, 0]) == [1, 3]


def test_tools_that_wait_for_each_other_do_not_do_so_forever():
    assert closed([4], LIKELIER) == [5, 4]
    assert closed([4, 5], LIKELIER) == [5, 4]


def test_what_does_not_fit_is_left_out_whole():
    assert closed([3, 0], LIKELIER, room=2) == [0]
    assert closed([3], LIKELIER, room=2) == [3], "a route is never empty"


def test_what_ran_already_is_not_run_again():
    assert closed([4], LIKELIER, ran=1) == [4]


def test_a_refund_is_calculated_before_it_is_paid(demo_folder):
    with Registry.open(str(demo_folder)) as registry:
        route = list(registry.menu("Refund order 991").route)
    names = [tool.partition("/")[2] for tool in route]
    assert names.index("calculate_refund") < names.index("refund_payment")


@pytest.fixture(scope="module")
def pets(tmp_path_factory):
    from spm.gnn.encoders.by_name import load_encoder

    pet = {"name": "pet_id", "type": "string"}
    tools = [
        {"name": "get_pet", "description": "Show a pet: its name, kind and owner.",
         "effects": "read", "inputs": [pet], "outputs": [{"name": "owner_id"}]},
        {"name": "list_pets", "description": "List all pets.", "effects": "read",
         "outputs": [pet]},
        {"name": "delete_pet", "description": "Delete a pet for good.", "effects": "destructive",
         "inputs": [pet]},
        {"name": "get_owner", "description": "Show an owner with address and phone number.",
         "effects": "read", "inputs": [{"name": "owner_id"}], "outputs": [{"name": "phone"}]},
    ]  # fmt: skip
    traces = [
        ("Delete pet 3", ["delete_pet"]),
        ("What is the phone number of the owner of pet 9?", ["get_pet", "get_owner"]),
        ("Remove pet 5 after checking it", ["get_pet", "delete_pet"]),
        ("Is pet 8 a dog? If so delete it", ["get_pet", "delete_pet"]),
    ]
    folder = tmp_path_factory.mktemp("pets") / "store"
    with Registry.open(str(folder)) as registry:
        registry.register(Manifest.model_validate({"spm": 1, "service": {"name": "pets"},
                                                   "tools": tools}))  # fmt: skip
        registry.import_traces(
            Trace.model_validate(
                {"trace_id": str(at), "request": request, "success": True,
                 "steps": [{"tool": tool, "ok": True} for tool in path]}
            )
            for at, (request, path) in enumerate(traces)
        )  # fmt: skip
        registry.encode(load_encoder())
        yield registry


def test_what_cannot_be_undone_is_not_in_the_route_of_a_question(pets):
    for request in ("Who owns pet 17?", "What is the name of pet 17?", "Show me the pets"):
        menu = pets.menu(request)
        assert menu.route
        assert "pets/delete_pet" not in menu.route, request
        assert "pets/delete_pet" in [item.id for item in menu.items], "a backup"


def test_it_is_where_it_was_asked_for(pets):
    assert "pets/delete_pet" in pets.menu("Delete pet 17").route
