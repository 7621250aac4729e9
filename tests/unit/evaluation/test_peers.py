"""Peers through their own packages: what they are given, and what becomes of their answers."""

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from spm.evaluation.constructors import KNOWN, known
from spm.evaluation.corpus import Corpus, Task, described, texts
from spm.evaluation.peers.definitions import Vectors, mcp, named
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.from_store import load
from spm.gnn.encoders.by_name import load_encoder
from spm.gnn.encoders.minilm import MiniLM
from spm.registry import demo
from spm.registry.encoding import Encoder
from spm.registry.errors import InputError
from spm.registry.models import ToolSpec
from spm.registry.registry import Registry
from tests.data import corpora
from tests.data.frontiers import Worded

PACKAGES = {
    "bigtool": "langgraph_bigtool",
    "graph-tool-call": "graph_tool_call",
    "graph-tool-call-closure": "graph_tool_call",
}
ASKED = ("Email the customer the receipt for order 4821", "Refund the payment of an order")
KEPT = ("orders", "payments", "customers", "messaging")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, encoder: Encoder) -> Corpus:
    """Four services of the demo. Peers see definitions, not our vectors."""
    with Registry.open(str(tmp_path_factory.mktemp("peers") / "store")) as registry:
        for manifest in demo.manifests():
            if manifest.service.name in KEPT:
                registry.register(manifest)
        registry.encode(Worded())
        library = load(registry.store)
        documents, specs = texts(registry.store, library), described(registry.store, library)
    vectors = encoder.encode_requests(ASKED)
    return Corpus(
        name="demo",
        library=library,
        documents=documents,
        teach=[],
        judge=[],
        tasks=[
            Task(f"t{at}", Question(text, vectors[at]), [library.tools[at]])
            for at, text in enumerate(ASKED)
        ],
        encoder=MiniLM.name,
        about=("demo",),
        specs=specs,
    )


@pytest.fixture(scope="module", params=PACKAGES)
def peer(request, shop):
    if find_spec(PACKAGES[request.param]) is None:
        pytest.skip(f"{PACKAGES[request.param]} is not installed: pip install '.[peers]'")
    return request.param, known(request.param).make(shop)


def test_every_peer_is_looked_at():
    there = {name for name, one in KNOWN.items() if one.place.startswith("spm.evaluation.peers")}
    assert there == set(PACKAGES)


def test_a_menu_holds_tools_of_the_library_each_once(peer, shop):
    _, constructor = peer
    for task in shop.tasks:
        menu = constructor.menu(task.question)
        assert set(menu) <= set(shop.library.tools)
        assert len(menu) == len(set(menu)) >= 5


def test_what_the_request_names_is_found(peer, shop):
    _, constructor = peer
    mail, refund = (constructor.menu(task.question) for task in shop.tasks)
    assert "messaging/send_email_receipt" in mail[:5]
    assert any("refund" in tool for tool in refund[:5])


def test_asked_again_and_after_others_it_says_the_same(peer, shop):
    _, constructor = peer
    first, second = shop.tasks
    before = constructor.menu(first.question), constructor.menu(second.question)
    assert constructor.menu(second.question) == before[1]
    assert constructor.menu(first.question) == before[0]


def test_the_path_of_a_task_changes_no_menu(peer, shop):
    name, constructor = peer
    others = [replace(task, path=[shop.library.tools[-1]]) for task in shop.tasks]
    blind = known(name).make(replace(shop, tasks=others))
    for task in shop.tasks:
        assert blind.menu(task.question) == constructor.menu(task.question)


def test_bigtool_is_the_order_of_cosines_of_names_and_descriptions(shop, encoder):
    pytest.importorskip("langgraph_bigtool")
    said = [f"{name}: {spec.description}" for name, (_, spec) in named(shop).items()]
    vectors = encoder.encode_documents(said)
    made = known("bigtool").make(shop)
    for task in shop.tasks:
        near = np.argsort(-(vectors @ task.question.vector), kind="stable")
        assert made.menu(task.question) == [shop.library.tools[at] for at in near]


def test_the_closure_stands_in_front_of_what_was_retrieved(shop):
    pytest.importorskip("graph_tool_call")
    plain = known("graph-tool-call").make(shop)
    closed = known("graph-tool-call-closure").make(shop)
    for task in shop.tasks:
        assert set(plain.menu(task.question)) <= set(closed.menu(task.question))


@pytest.mark.parametrize("name", PACKAGES)
def test_a_peer_that_is_not_installed_says_what_to_install(name, shop, monkeypatch):
    import sys

    for module in [m for m in sys.modules if m.partition(".")[0] == PACKAGES[name]]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, PACKAGES[name], None)
    with pytest.raises(InputError, match=r"pip install 'spm-registry\[peers\]'"):
        known(name).make(shop)


# -- what they are given -----------------------------------------------------------------------


def test_a_peer_needs_definitions():
    with pytest.raises(InputError, match="no definitions of its tools"):
        named(corpora.corpus())


def test_tools_of_one_name_go_by_their_ids():
    corpus = corpora.corpus(
        corpora.library({"a/find": ([], []), "b/find": ([], []), "b/go": ([], [])}, [])
    )
    specs = [ToolSpec(name="find"), ToolSpec(name="find"), ToolSpec(name="go")]
    found = named(replace(corpus, specs=specs))
    assert {name: tool for name, (tool, _) in found.items()} == {
        "a/find": "a/find", "b/find": "b/find", "go": "b/go"
    }  # fmt: skip


def test_a_definition_says_what_is_required_and_what_comes_out():
    spec = ToolSpec.model_validate(
        {
            "name": "send",
            "description": "Send a message.",
            "inputs": [
                {"name": "address", "description": "to whom"},
                {"name": "copies", "type": "integer", "required": False},
            ],
            "outputs": [{"name": "message_id"}],
        }
    )
    assert mcp("send", spec) == {
        "name": "send",
        "description": "Send a message.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "address": {"type": "string", "description": "to whom"},
                "copies": {"type": "integer", "description": ""},
            },
            "required": ["address"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {"message_id": {"type": "string", "description": ""}},
            "required": [],
        },
    }
    silent = spec.model_copy(update={"outputs": (), "input_schema": {"type": "object"}})
    assert "outputSchema" not in mcp("send", silent)
    assert mcp("send", silent)["inputSchema"] == {"type": "object"}


def test_texts_are_encoded_once_and_questions_not_at_all(shop, encoder):
    made = Vectors(shop)
    assert made.dimensions == load_encoder().dimensions
    told = Question("refund an order", np.arange(384, dtype=np.float32))
    made.expect(told)
    found = made(["refund an order", "send a mail", "send a mail"])
    assert found[0] == told.vector.tolist()
    assert found[1] == found[2]
    assert found[1] == pytest.approx(encoder.encode_documents(["send a mail"])[0].tolist())
    assert made(["send a mail"])[0] is found[1]
    made.expect(Question("another", told.vector))
    assert made(["refund an order"])[0] != told.vector.tolist()  # it is no question any more
