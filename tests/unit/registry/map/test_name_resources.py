"""What names and texts say about tools that come without a document: MCP servers, functions."""

import pytest

from spm.registry.map.name_resources import read_names
from spm.registry.map.resources import INSIDE, Given, Identity
from spm.registry.models import InputSpec, OutputSpec, ToolSpec

PATHS = Given("path", "", True, "inferred")


def tool(label, /, *, reads=False, schema=None, outputs=(), **inputs):
    """A tool as an importer makes it; each input is its description, or its type and that."""
    specs = []
    for key, said in inputs.items():
        kind, text = said if isinstance(said, tuple) else ("string", said)
        specs.append(InputSpec(name=key, type=kind, description=text))
    return ToolSpec(
        name=label,
        effects="read" if reads else "write",
        inputs=tuple(specs),
        outputs=tuple(outputs),
        output_schema=schema,
        call={"format": "mcp"},
    )


def listing(**items):
    """The schema of an answer with lists of objects that have these properties."""
    lists = {
        name: {"type": "array", "items": {"properties": {key: {"type": "string"} for key in keys}}}
        for name, keys in items.items()
    }
    return {"type": "object", "properties": lists}


MAKE = tool("create_planets", planet_name="The name of the planet")


def read(*tools):
    return read_names([MAKE, *tools])


def test_what_a_caller_asks_is_made_by_nobody_and_says_what_is_found():
    look = tool("search_nodes", reads=True, query="To match against planet names and types")
    found = read(look)["search_nodes"]
    assert found.takes == {}
    assert Given("planet", "", True, "inferred") in found.gives


def test_what_a_description_calls_content_identifies_nothing():
    add = tool("add_remarks", planet_name="")
    keep = tool("fill", remarks=("array", "An array of remark contents to keep"))
    drop = tool("drop_remark", remarks=("array", "An array of remarks whose text is wrong"))
    found = read(add, keep, drop)
    assert found["fill"].takes == {}
    assert found["drop_remark"].takes == {"remarks": Identity("remark")}


def test_a_bare_name_is_of_what_its_description_says():
    visit = tool("open_nodes", reads=True, names=("array", "An array of planet names to visit"))
    assert read(visit)["open_nodes"].takes == {"names": Identity("planet")}


@pytest.mark.parametrize(
    "other",
    [
        tool("create_moon", name="Name of the planet"),  # who makes a thing names it
        tool("update_planet", planet_name="", name="New name of the planet"),
    ],
)
def test_a_bare_name_that_finds_nothing(other):
    assert "name" not in read(other)[other.name].takes


def test_what_has_an_id_is_not_found_by_a_bare_name():
    visit = tool("visit", name="Name of the planet")
    assert read(visit)["visit"].takes == {"name": Identity("planet")}
    assert read(visit, tool("leave", planet_id=""))["visit"].takes == {}


def test_the_name_of_a_tool_gives_no_input_a_role():
    links = tool("get_resource_links", reads=True, resource_id="")
    pack = tool("verify_pack_as_resource")
    name = InputSpec(name="name", of="pack_as_resource", description="How it is called")
    pack = pack.model_copy(update={"inputs": (name,)})
    assert read(links, pack)["verify_pack_as_resource"].takes == {}


def test_a_list_in_an_answer_gives_what_it_is_called():
    name = OutputSpec(name="name", of="universe")  # as the importer calls it after the tool
    look = tool(
        "read_universe", reads=True, outputs=[name], schema=listing(planets=["name", "size"])
    )
    assert Given("planet", "", True) in read(look)["read_universe"].gives
    told = OutputSpec(name="name", of="universe", description="The name of the planet")
    same = tool("read_universe", reads=True, outputs=[told], schema=look.output_schema)
    assert read(same)["read_universe"].gives == (Given("planet", "", True),)  # and no reference
    empty = tool("read_universe", reads=True, outputs=[name], schema=listing(planets=["size"]))
    assert Given("planet", "", True) not in read(empty)["read_universe"].gives


def test_a_list_of_things_with_ids_gives_them_only_by_an_id():
    visit = tool("visit", planet_id="")
    name = OutputSpec(name="name", of="universe")
    look = tool("read_universe", reads=True, outputs=[name], schema=listing(planets=["name"]))
    assert "planet" not in {given.resource for given in read(visit, look)["read_universe"].gives}


def test_an_answer_that_is_mere_text_may_hold_what_the_tool_names():
    text = tool("list_planets", reads=True, outputs=[OutputSpec(name="content")])
    assert read(text)["list_planets"].gives == (Given("planet", "", True, "inferred"),)
    sizes = tool("list_planets", reads=True, outputs=[OutputSpec(name="size")])
    assert read(sizes)["list_planets"].gives == ()


def test_who_only_reads_opens_a_thing_to_look_at_it():
    found = read(tool("open_planets", reads=True), tool("open_moons"))
    assert (found["open_planets"].verb, found["open_planets"].resource) == ("get", "planet")
    assert found["open_moons"].verb == "create"
    unsaid = ToolSpec(name="open_moons")  # a manifest that leaves its effects open
    assert read(unsaid)["open_moons"].verb == "create"
    assert read(tool("order_list", reads=True))["order_list"].verb == "list"


# -- paths -------------------------------------------------------------------------------------

SEARCH = tool("search_files", reads=True, path="", pattern="")


def test_who_looks_for_files_gives_paths_and_others_take_them():
    found = read(
        SEARCH, tool("read_text_file", reads=True, path=""), tool("stat", paths=("array", ""))
    )
    assert found["search_files"].takes == {"path": Identity("path", INSIDE)}
    assert PATHS in found["search_files"].gives
    assert found["read_text_file"].takes == {"path": Identity("path")}
    assert found["stat"].takes == {"paths": Identity("path")}


@pytest.mark.parametrize("name", ["list_directory", "directory_tree", "find_folders"])
def test_finders_of_paths(name):
    assert PATHS in read(tool(name, reads=True, path=""))[name].gives


def test_what_is_moved_is_there_and_where_it_goes_is_not():
    move = tool("move_file", source="", destination="")
    assert read(SEARCH, move)["move_file"].takes == {"source": Identity("path")}
    other = tool("translate", source="", target_path="", json_path="")
    assert read(SEARCH, other)["translate"].takes == {}


def test_who_makes_a_file_says_where_it_shall_be():
    assert read(SEARCH, tool("write_file", path=""))["write_file"].takes == {}


def test_paths_say_nothing_where_nobody_finds_them_or_files_have_ids():
    take = tool("read_text_file", reads=True, path="")
    assert read(take)["read_text_file"].takes == {}
    by_id = tool("get_file", reads=True, file_id="")
    assert read(SEARCH, take, by_id)["read_text_file"].takes == {}
    record = tool("list_files", reads=True, outputs=[OutputSpec(name="owner")])
    assert PATHS not in read(record)["list_files"].gives


def test_an_act_that_starts_a_run_gives_the_run():
    found = read(tool("start_run", workflow_id=""), tool("get_run_status", reads=True, run_id=""))
    assert Given("run", "", False, "inferred") in found["start_run"].gives
    stop = read(tool("stop_server", server_id=""))
    assert stop["stop_server"].gives == ()


def test_what_is_sold_is_found_by_its_number_in_stock():
    found = read(tool("list_products", reads=True), tool("add_item", product_sku=""))
    assert found["add_item"].takes["product_sku"] == Identity("product")


def test_what_is_put_into_something_is_there_already():
    found = read(
        tool("search_songs", reads=True, query="string"),
        tool("add_song_to_playlist", song_id="string", playlist_id="string"),
        tool("add_comment_to_playlist", playlist_id="string", text="string"),
    )
    added = found["add_song_to_playlist"]
    assert (added.verb, added.resource) == ("update", "playlist")
    assert added.takes["song_id"] == Identity("song")
    assert not added.gives
    made = found["add_comment_to_playlist"]
    assert (made.verb, made.resource) == ("create", "comment")
