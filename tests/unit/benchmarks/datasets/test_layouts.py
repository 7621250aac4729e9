"""Each benchmark's layout, read from tiny files."""

import json

import pytest

from benchmarks.datasets.catalogue import BENCHMARKS
from benchmarks.datasets.files import Source
from spm.registry.errors import InputError


def read(name, *folders, full=False):
    return BENCHMARKS[name].convert(Source(folders, BENCHMARKS[name].about), full)


def paths(made):
    return {row["id"]: row["path"] for row in made.episodes}


def edges(made, id_):
    return next(row["edges"] for row in made.episodes if row["id"] == id_)


def tool(made, name):
    return next(row for row in made.tools if row["name"] == name)


def fields(rows):
    return [row["name"] for row in rows]


# -- TRAJECT-Bench -----------------------------------------------------------------------------


def test_trajectories_are_numbered_by_trajectory_and_paraphrase(original):
    made = read("traject_bench", original("traject_bench"))
    assert paths(made) == {
        "par/Travel/000/hard": ["Inns: Find", "Maps: Show"],
        "par/Travel/000/simple": ["Inns: Find", "Maps: Show"],
        "seq-v1/Travel/000/00": ["Inns: Find", "Inns: Book"],
        "seq-v2/Travel/000/00": ["Inns: Find", "Inns: Book"],
        "seq-v2/Travel/000/01": ["Inns: Find", "Inns: Book"],
    }
    assert edges(made, "seq-v2/Travel/000/00") == [["Inns: Find", "Inns: Book"]]
    assert edges(made, "par/Travel/000/hard") == []
    assert made.dropped == {"a tool of the path is not documented": 1}  # Ghosts: Ask
    held = {row["id"]: row["given"] for row in made.extras["derived_state"]}
    assert held["seq-v2/Travel/000/00"] == ["town"]
    assert held["par/Travel/000/hard"] == ["town"]


def test_tools_are_listed_described_and_observed(original):
    made = read("traject_bench", original("traject_bench"))
    assert fields(made.tools) == ["Inns: Book", "Inns: Find", "Maps: Show"]
    assert made.merged == 1  # a second list holds Inns: Find
    find = tool(made, "Inns: Find")
    assert (find["family"], find["description"]) == ("Inns", "Does Inns: Find.")
    # the list of Mapping is read before that of Travel, and there it has no parameters
    assert find["inputs"] == []
    assert [(o["name"], o["description"]) for o in find["outputs"]] == [
        ("id", "documented"), ("name", "documented"), ("stars", "observed"),
    ]  # fmt: skip
    assert fields(tool(made, "Inns: Book")["inputs"]) == ["inn_id"]
    assert tool(made, "Maps: Show")["outputs"] == []  # known from calls only
    assert fields(tool(made, "Maps: Show")["inputs"]) == ["limit"]
    assert made.extras["links"] == [
        {"from": "Inns: Find", "to": "Inns: Book", "params": ["inn_id"]}
    ]


def test_older_states_add_trajectories_and_documents(original, originals, tmp_path):
    older = originals.lay(tmp_path / "older", originals.traject_older())
    newest = original("traject_bench")
    made = read("traject_bench", newest, older)
    assert paths(made)["par/News_Media/000/simple"] == ["Inns: Find"]  # written differently
    assert paths(made)["seq-v2/Travel/001/00"] == ["Ghosts: Ask"]
    assert fields(tool(made, "Ghosts: Ask")["inputs"]) == ["where", "limit"]
    assert not made.dropped
    assert not made.notes
    alone = read("traject_bench", newest)
    assert "dd7660e" in alone.notes[0]
    whole = read("traject_bench", newest, older, full=True)
    assert "par/News_Media/000/simple" not in paths(whole)


def test_what_no_figure_is_reported_on_documents_nothing(original, originals, tmp_path):
    older = originals.lay(tmp_path / "older", originals.traject_older())
    newest, news = original("traject_bench"), "public_data/parallel/News_Media/simple_ver.json"
    before = read("traject_bench", newest, older)
    step = {"tool name": "Ghosts: Ask", "tool description": "Newer.", "executed_output": "{'a': 1}"}
    originals.lay(newest, {news: [{"query": "New", "tool list": [step]}]})
    assert read("traject_bench", newest, older).tools == before.tools
    assert tool(read("traject_bench", newest), "Ghosts: Ask")["description"] == "Newer."


# -- ToolLinkOS --------------------------------------------------------------------------------


def test_dependencies_come_before_what_needs_them(original):
    made = read("toollinkos", original("toollinkos"))
    # as listed from behind; wifi_get and wifi_set need each other, which says nothing about order
    assert paths(made) == {"tl:0": ["address", "wifi_get", "wifi_set", "send"]}
    assert edges(made, "tl:0") == [["wifi_get", "send"], ["address", "send"]]
    assert made.episodes[0]["request"] == "Send it"
    assert made.dropped == {"a tool of the path is not documented": 1}
    assert made.merged == 1
    assert len(made.extras["graph"]) == 4
    assert made.extras["graph"][0] == {
        "from": "wifi_get",
        "to": "send",
        "type": "TOOL_DIRECTLY_DEPENDS_ON",
        "input": "",
        "reason": "it must run before",
        "to_kind": "regular",
    }


# -- TaskBench ---------------------------------------------------------------------------------


def test_graphs_become_paths_that_their_links_allow(original):
    made = read("taskbench", original("taskbench"))
    assert paths(made) == {"mm:11": ["mm:Cut", "mm:Join", "mm:Say"]}
    assert edges(made, "mm:11") == [["mm:Cut", "mm:Join"], ["mm:Join", "mm:Say"]]
    assert made.dropped == {
        "the gold graph has a circle": 1,
        "the path is empty": 1,
        "a tool of the path is not documented": 1,
    }
    assert len(made.tools) == 7
    assert tool(made, "hf:Join")["family"] == "taskbench-huggingface"
    assert fields(tool(made, "mm:Join")["inputs"]) == ["video", "video_2"]
    assert fields(tool(made, "daily:get_weather")["inputs"]) == ["city"]
    assert made.extras["derived_state"][0] == {"id": "mm:11", "given": ["audio", "video", "url"]}
    (paraphrase,) = made.extras["paraphrases"]
    assert (paraphrase["id"], paraphrase["of"]) == ("mm:11#p0", "mm:11")
    assert paraphrase["request"] == "Please, work"
    assert [row["type"] for row in made.extras["requests_without_gold"]] == ["dag", ""]
    assert {"from": "mm:Cut", "to": "mm:Join", "type": "video"} in made.extras["graph"]


def test_the_whole_gold_gives_the_same_graphs_and_more(original, originals):
    chain = {**originals.dags[0], "id": "21", "type": "chain"}
    hub = {
        "id": "31",
        "instruction": "Do it",
        "type": "single",
        "tool_nodes": [{"task": "get_weather"}],
        "tool_links": [],
    }
    files = originals.taskbench()
    for domain, rows in {
        "multimedia": [*originals.dags, chain], "huggingface": [], "dailylifeapis": [hub],
    }.items():  # fmt: skip
        text = "\n".join(map(json.dumps, rows))
        files[f"taskbench/data_{domain}/data.json"] = text
    folder = original("whole", files)
    assert paths(read("taskbench", folder)) == {"mm:11": ["mm:Cut", "mm:Join", "mm:Say"]}
    assert "--full" in read("taskbench", folder).notes[0]
    assert set(paths(read("taskbench", folder, full=True))) == {"mm:11", "mm:21", "daily:31"}


# -- NESTFUL -----------------------------------------------------------------------------------


def test_arguments_that_quote_a_call_are_data_flow(original):
    made = read("nestful", original("nestful"))
    assert paths(made) == {
        f"{part}:0": [f"{part}:find_inn", f"{part}:book_inn"] for part in ("exec", "glaive", "sgd")
    }
    assert edges(made, "sgd:0") == [["sgd:find_inn", "sgd:book_inn"]]
    assert made.extras["flows"][0] == {
        "episode": "exec:0",
        "from": "exec:find_inn",
        "output": "inn.id",
        "to": "exec:book_inn",
        "input": "inn_id",
    }
    assert made.extras["derived_state"][0] == {"id": "exec:0", "given": ["town", "day"]}
    assert (made.merged, made.dropped) == (3, {"a tool of the path is not documented": 3})
    find = tool(made, "exec:find_inn")
    assert (find["family"], tool(made, "sgd:find_inn")["family"]) == ("inns.example", "find_inn")
    assert fields(find["outputs"]) == ["inn", "inn.id", "inn.beds", "towns", "towns.zip"]
    assert tool(made, "exec:book_inn")["description"] == "Books."


def test_the_second_version_is_taken_when_asked_for(original, originals, tmp_path):
    folder = original("nestful")
    moved = {n.replace("data/", "data_v1/"): c for n, c in originals.files_of("nestful").items()}
    both = originals.lay(tmp_path / "both", {**moved, **originals.nestful_second()})
    assert read("nestful", both).episodes == read("nestful", folder).episodes
    assert "--full" in read("nestful", both).notes[0]
    made = read("nestful", both, full=True)
    assert paths(made)["v2:s-1"] == ["v2:add"]
    assert paths(made)["v2:s-2"] == ["v2:add"]  # its list of tools is text
    assert fields(tool(made, "v2:add")["outputs"]) == ["result"]
    assert made.extras["flows"][-1]["output"] == "result"


# -- Seal-Tools --------------------------------------------------------------------------------


def test_responses_that_are_quoted_are_data_flow(original):
    made = read("seal_tools", original("seal_tools"))
    assert paths(made) == {
        "dev-easy-0": ["findInn"],
        "dev-difficult-1": ["findInn", "bookInn"],
        "test_out_domain-easy-0": ["bookInn"],
    }
    assert edges(made, "dev-difficult-1") == [["findInn", "bookInn"]]
    assert made.extras["flows"] == [
        {
            "episode": "dev-difficult-1",
            "from": "findInn",
            "output": "inn_town",
            "to": "bookInn",
            "input": "town",
        }
    ]
    assert [f["required"] for f in tool(made, "findInn")["inputs"]] == [True, False]
    assert "train.jsonl" in made.notes[0]
    assert "train-easy-0" in paths(read("seal_tools", original("seal_tools"), full=True))


# -- ToolHop -----------------------------------------------------------------------------------


def test_hops_follow_the_functions_and_find_their_documents_by_arguments(original):
    made = read("toolhop", original("toolhop"))
    assert paths(made) == {
        "toolhop/0001": ["who_is", "length", "who_is"],
        "toolhop/0013": ["who_is", "length", "who_is"],
    }
    assert edges(made, "toolhop/0001") == [["who_is", "length"]]
    assert made.notes == [
        "1 of 3 questions was left out: no figure is reported on it. --full takes it along."
    ]
    assert len(read("toolhop", original("toolhop"), full=True).episodes) == 3
    who = tool(made, "who_is")
    # a document for every hop; only the first of each kind asks for its first argument
    assert {f["name"]: f["required"] for f in who["inputs"]} == {
        "era": False, "name": True, "title": True,
    }  # fmt: skip
    assert fields(who["outputs"]) == ["person", "boss"]
    assert fields(tool(made, "length")["outputs"]) == ["count"]


def test_the_rows_that_were_published_again_give_the_same(original, originals):
    whole = read("toolhop", original("toolhop"))
    rows = read("toolhop", original("rows", originals.toolhop_rows()))
    assert (rows.tools, rows.episodes) == (whole.tools, whole.episodes)


# -- ToolBench ---------------------------------------------------------------------------------


def test_the_release_gives_instructions_and_answers(original):
    made = read("toolbench", original("toolbench"))
    find, book = "find_for_inn_finder_24", "book_for_inn_finder_24"
    assert paths(made) == {
        "dfs/G1/1": [find, "show_for_maps"],
        "rel/G1_tool/1/all": [find],  # and not again as one of the instructions
        "rel/G3/3": [find, book],
        "rel/G3/4": ["map_for_inn_finder_24"],
    }
    assert made.dropped == {"the run gave no answer": 1, "a tool of the path is not documented": 1}
    assert (tool(made, find)["description"], tool(made, find)["family"]) == (
        "Finds.", "Travel/Inn-Finder 24",
    )  # fmt: skip
    assert fields(tool(made, find)["inputs"]) == ["town", "day"]  # from an instruction's list
    assert fields(tool(made, book)["outputs"]) == ["inn", "rooms", "id", "beds"]
    assert tool(made, "show_for_maps")["family"] == "maps"


def test_solvable_queries_alone_are_enough(original, originals):
    made = read("toolbench", original("stable", originals.stable_tool_bench()))
    assert list(paths(made)) == ["rel/G1_tool/0/solvable", "rel/G3_instruction/1/solvable"]


def test_instructions_and_runs_share_one_library(original):
    folder = original("toolbench_rel")
    rel, traj = read("toolbench_rel", folder), read("toolbench_traj", folder)
    find, book = "find_for_inn_finder_24", "book_for_inn_finder_24"
    assert paths(rel) == {
        "anytoolbench/1000": [find],
        "rel/G1_tool/0/solvable": [find, book],
        "rel/G1_tool/9/all": [book],
        "rel/G3_instruction/1/solvable": [find, book],
    }
    assert paths(traj) == {
        "cot/G1_tool/7": [find, "show_for_maps"],  # what was not offered is not called
        "dfs/tb_1": ["rooms_for_maps"],
        "example/G1/10": ["show_for_maps"],
    }
    assert traj.episodes[0]["request"] == "Show me the inn"
    assert traj.dropped == {"the run gave no answer": 1}
    assert rel.tools == traj.tools
    assert fields(tool(rel, "rooms_for_maps")["outputs"]) == ["beds", "free"]
    assert tool(rel, "rooms_for_maps")["description"] == ""


def test_tags_are_joined_and_traces_found_by_their_request(original):
    made = read("toolbench_g3", original("toolbench_g3"))
    assert paths(made) == {
        "rel/000007": ["list_for_trains", "find_for_inn_finder_24"],
        "rel/000031": ["list_for_trains", "find_for_inn_finder_24"],
        "trace/000007": ["list_for_trains", "show_2_for_maps"],
    }
    assert {row["id"]: row["request"] for row in made.episodes}["trace/000007"] == "Long request 7"
    assert made.dropped == {"the evaluation row has no trace": 1}
    trains = tool(made, "list_for_trains")
    assert (trains["family"], fields(trains["outputs"])) == ("Travel/Trains", ["train"])


@pytest.mark.parametrize(
    ("tool_name", "api", "expected"),
    [
        ("Inn-Finder", "Get /inns/{id}", "get_inns_id_for_inn_finder"),
        ("24 Inns", "id", "is_id_for_get_24_inns"),
        ("__a__", "5 Day", "get_5_day_for_a"),
    ],
)
def test_functions_are_named_as_toolbench_does(tool_name, api, expected):
    from benchmarks.datasets.toolbench_tools import function_name

    assert function_name(tool_name, api) == expected


def test_a_cut_name_finds_its_tool(originals):
    from benchmarks.datasets.records import Record
    from benchmarks.datasets.toolbench_tools import Library, function_name

    long = "Search for every inn between two towns and a river on a given day of spring"
    document = {"tool_name": "Inns", "api_name": long, "category_name": "Travel"}
    known = Library()
    known.document(Record.of(document, "here"))
    name = function_name("Inns", long)
    assert known.find(name[-64:]) == name
    assert known.find("other") == "other"
    known.prompted(Record.of({"name": name[-64:], "description": "", "parameters": {}}, "here"))
    assert len(known.rows()) == 1


def test_a_folder_further_down_is_as_good(original):
    folder = original("seal_tools")
    whole = read("seal_tools", folder)
    inner = read("seal_tools", folder / "Seal-Tools_Dataset")
    assert inner.episodes == whole.episodes


def test_instructions_must_be_there(tmp_path):
    with pytest.raises(InputError, match=r"G\*_query\.json"):
        read("toolbench", tmp_path)
