"""Tiny benchmarks, made up here, in the layouts in which the real ones are published."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# A file's content by its name in the repository: JSON, a list of JSON lines (*.jsonl), or text.
Files = dict[str, Any]

DOMAINS = [
    "Education", "Email", "Finance", "Gaming", "Mapping", "Music", "News_Media", "Travel",
    "Weather", "eCommerce",
]  # fmt: skip


def _traject_tool(name: str, required: list[str], optional: list[str], **more: Any) -> Any:
    return {
        "tool name": name,
        "tool description": f"Does {name}.",
        "parent tool name": name.partition(":")[0],
        "required_parameters": [
            {"name": n, "type": "STRING", "description": f"the {n}"} for n in required
        ],
        "optional_parameters": [{"name": n, "type": "NUMBER"} for n in optional],
        "output_info": {"output_format": "An object with 'id' and `name`, or \"error\"."},
        "connected tools": [],
        **more,
    }


def _step(name: str, arguments: dict[str, Any], output: str = "", passes: str = "") -> Any:
    return {
        "tool name": name,
        "tool description": f"Called to do {name}.",
        "parent tool name": name.partition(":")[0],
        "required parameters": [{"name": n, "value": v} for n, v in arguments.items()],
        "optional parameters": [{"name": "limit", "value": ""}],
        "executed_output": output,
        "sequence_step": {"param_for_next_tool": passes},
    }


FIND = _step("Inns: Find", {"town": "Ulm"}, "{'id': 7, 'stars': 3, 'rooms_2': 1}", "inn_id")
BOOK = _step("Inns: Book", {"inn_id": "7"}, "{'stars': 3}")


def traject_bench() -> Files:
    made: Files = {}
    for domain in DOMAINS:
        made[f"public_data/tools/{domain}_tool.json"] = []
        for kind in ("hard", "simple"):
            made[f"public_data/parallel/{domain}/{kind}_ver.json"] = []
        if domain != "Email":
            made[f"public_data/sequential/{domain}/traj_query.json"] = []
    links = [{"tool name": "inns: book", "connect params": [{"name": "inn_id"}, {"x": 1}]}]
    made["public_data/tools/Travel_tool.json"] = [
        _traject_tool("Inns: Find", ["town"], ["limit"], **{"connected tools": links}),
        _traject_tool("Inns: Book", ["inn_id"], []),
    ]
    made["public_data/tools/Mapping_tool.json"] = [_traject_tool("Inns: Find", [], [])]
    for kind in ("hard", "simple"):
        made[f"public_data/parallel/Travel/{kind}_ver.json"] = [
            {"query": f"Find inns and maps ({kind})", "tool list": [FIND, _step("Maps: Show", {})]}
        ]
    made["public_data/sequential/Travel/traj_query.json"] = [
        {"query": f"Book an inn in {town}", "tool list": [FIND, FIND, BOOK]}
        for town in ("Ulm", "Bonn")
    ] + [{"query": "Ask nobody", "tool list": [_step("Ghosts: Ask", {})]}]
    made["public_data/sequential/Travel/simple_ver.json"] = [
        {"query": "Book early", "tool_list": [FIND, BOOK]}
    ]
    return made


def traject_older() -> Files:
    made: Files = {"public_data/parallel/News_Media/hard_ver.json": []}
    made["public_data/parallel/News_Media/simple_ver copy.json"] = [
        {"query": "Old news", "tool list": [_step("Inns:  find", {"town": "Ulm"})]}
    ]
    ghosts = _step("Ghosts: Ask", {"where": "attic"})
    made["public_data/parallel/Travel/hard_ver.json"] = [{"query": "Old", "tool list": [ghosts]}]
    return made


def toollinkos() -> Files:
    def one(name: str, *needs: str) -> Any:
        return {
            "name": name,
            "description": f"Does {name}.",
            "parameters": [
                {"name": f"{name}_of", "type": "string", "description": "what", "required": True}
            ],
            "depends_on": [
                {
                    "name": need,
                    "dependence_type": "TOOL_DIRECTLY_DEPENDS_ON",
                    "parameter_name": None,
                    "reason": "it must run before",
                }
                for need in needs
            ],
            "func_type": "regular",
        }

    return {
        "toollinkos/regular_tools.json": [one("send", "wifi_get", "address"), one("address")],
        "toollinkos/core_tools.json": [
            one("wifi_get", "wifi_set"), one("wifi_set", "wifi_get"), one("wifi_set"),
        ],
        "toollinkos/instances.json": [
            {
                "user_query": "Send it ",
                "main_golden_function_name": "send",
                "golden_function_names": ["send", "wifi_set", "wifi_get", "address"],
            },
            {
                "user_query": "Fly",
                "main_golden_function_name": "fly",
                "golden_function_names": ["fly", "address"],
            },
        ],
    }  # fmt: skip


def taskbench() -> Files:
    made: Files = {}
    for domain in ("huggingface", "multimedia"):
        nodes = [
            {"id": "Cut", "desc": "Cuts.", "input-type": ["video"], "output-type": ["video"]},
            {
                "id": "Join",
                "desc": "Joins.",
                "input-type": ["video", "video"],
                "output-type": ["video"],
            },
            {"id": "Say", "desc": "Speaks.", "input-type": ["video"], "output-type": ["audio"]},
        ]
        links = [{"source": "Cut", "target": "Join", "type": "video"}]
        made[f"taskbench/data_{domain}/tool_desc.json"] = {"nodes": nodes}
        made[f"taskbench/data_{domain}/graph_desc.json"] = {"nodes": nodes, "links": links}
    parameters = [{"name": "city", "type": "string", "desc": "Where"}]
    made["taskbench/data_dailylifeapis/tool_desc.json"] = {
        "nodes": [{"id": "get_weather", "desc": "Tells the weather.", "parameters": parameters}]
    }
    made["taskbench/data_dailylifeapis/graph_desc.json"] = {"nodes": [], "links": []}
    made["taskbench/data_multimedia/user_requests.json"] = "\n".join(
        json.dumps({"id": id_, "user_request": "Do it"}) for id_ in ("11", "12")
    )
    made["taskbench/data_multimedia/alignment_ids.json"] = {"all_alignment_id": {"dag": ["11"]}}
    return made


def _dag(id_: str, nodes: list[str], links: list[tuple[str, str]], **more: Any) -> Any:
    return {
        "id": id_,
        "user_request": "Work on a.mp4 and http://b.example/c.wav",
        "task_nodes": [{"task": node, "arguments": []} for node in nodes],
        "task_links": [{"source": first, "target": second} for first, second in links],
        "type": "dag",
        **more,
    }


DAGS = [
    _dag("11", ["Join", "Cut", "Say"], [("Cut", "Join"), ("Join", "Say")]),
    _dag("12", ["Join", "Cut"], [("Cut", "Join"), ("Join", "Cut")]),
    _dag("13", [], []),
    _dag("14", ["Nothing"], []),
]


def process_bench() -> Files:
    return {
        "taskbench_multimedia_dag.json": "\n".join(map(json.dumps, DAGS)),
        "paraphrased_queries/rephrasing_results_flat_lang.csv": (
            'process_id,language,rephrased_query\n11_0,en,"Please, work "\n99_0,en,Nobody\n'
        ),
    }


def nestful() -> Files:
    spec = {
        "name": "find_inn",
        "description": "Finds inns.",
        "host": "inns.example",
        "query_parameters": {"town": {"type": "string", "required": True, "description": "Where"}},
        "output_parameters": {
            "inn": {"type": "object", "properties": {"id": {"type": "string"}, "beds": "number"}},
            "towns": {"items": {"properties": {"zip": {"type": "string"}}}},
        },
    }
    book = {
        "name": "book_inn",
        "description": "Books. ",
        "path_parameters": {"inn_id": {"type": "string"}, "day": {"type": "string"}},
        "output_parameters": {"ticket": {"type": "string"}},
    }
    calls = [
        {"name": "find_inn", "arguments": {"town": "Ulm"}, "label": "var1"},
        {"name": "find_inn", "arguments": {"town": "Bonn"}, "label": "var2"},
        {
            "name": "book_inn",
            "arguments": {"inn_id": "$var2.inn.id$", "day": "1 May"},
            "label": "var3",
        },
        {"name": "var_result", "arguments": {"ticket": "$var3$"}},
    ]
    made: Files = {}
    others = ("non-executable/non-executable-glaive", "non-executable/non-executable-sgd")
    for part in ("executable/executable", *others):
        made[f"data/{part}-spec.json"] = [spec, book, spec]
        made[f"data/{part}-data.json"] = [
            {"input": "Book an inn ", "output": calls},
            {"input": "Fly", "output": [{"name": "fly", "arguments": {}, "label": "var1"}]},
        ]
    return made


def nestful_second() -> Files:
    tool = {
        "name": "add",
        "description": "Adds.",
        "parameters": {"a": {"type": "number"}},
        "output_parameter": {"result": {"type": "number"}},
    }
    calls = [
        {"name": "add", "arguments": {"a": 1}, "label": "$var_1"},
        {"name": "add", "arguments": {"a": "$var_1.result$"}, "label": "$var_2"},
    ]
    row = {"sample_id": "s-1", "input": "Add", "output": calls, "tools": [tool], "gold_answer": 2}
    return {"data_v2/nestful_data.jsonl": [row, {**row, "sample_id": "s-2", "tools": "[]"}]}


def seal_tools() -> Files:
    def api(name: str, outputs: list[str]) -> Any:
        return {
            "api_name": name,
            "api_description": f"Does {name}.",
            "field": "Travel/Inns",
            "parameters": {
                "town": {"type": "str", "description": "Where"},
                "day": {"type": "str", "description": "When"},
            },
            "required": ["town"],
            "responses": {n: {"type": "str", "description": f"the {n}"} for n in outputs},
        }

    def row(id_: str, *calls: tuple[str, dict[str, str], list[str]]) -> Any:
        return {
            "id": id_,
            "query": f"Do {id_}",
            "calling": [{"api": a, "parameters": p, "responses": r} for a, p, r in calls],
        }

    find = ("findInn", {"town": "Ulm"}, ["API_call_0", "API_call_1"])
    book = ("bookInn", {"town": "API_call_1", "day": "1 May"}, ["API_call_2"])
    top = "Seal-Tools_Dataset"
    return {
        f"{top}/tool.jsonl": [api("findInn", ["inn", "inn_town"]), api("bookInn", ["ticket"])],
        f"{top}/dev.jsonl": [row("dev-easy-0", find), row("dev-difficult-1", find, book)],
        f"{top}/test_in_domain.jsonl": [row("test_in_domain-easy-0", ("fly", {}, []))],
        f"{top}/test_out_domain.jsonl": [row("test_out_domain-easy-0", book)],
        f"{top}/train.jsonl": [row("train-easy-0", find)],
    }


def _hop(name: str, *arguments: str) -> Any:
    return {
        "name": name,
        "description": f"Does {name}.",
        "parameters": {
            "type": "object",
            "properties": {n: {"type": "string", "description": f"the {n}"} for n in arguments},
            "required": list(arguments[:1]),
        },
    }


def _question(number: int) -> Any:
    texts = [
        "def who_is(name, era):\n    if not name:\n        return {'error': 'no name'}\n"
        "    result = {'person': name}\n    return result",
        "def length(text):\n    return {'count': len(text)}",
        "def who_is(title):\n    other = {'error': 1, 'boss': title}\n    return other",
    ]
    return {
        "id": number,
        "question": f"How long is the name of the founder of Inn {number}?",
        "answer": "12",
        "sub_task": {
            "How long is Ada Lovelace?": "12",
            "Who is the boss of Ada Lovelace?": "Bob",
            f"Who founded Inn {number}?": "Ada Lovelace",
        },
        "tools": {
            "How long is Ada Lovelace?": _hop("length", "text"),
            "Who is the boss of Ada Lovelace?": _hop("who_is", "title"),
            f"Who founded Inn {number}?": _hop("who_is", "name", "era"),
        },
        "functions": texts,
        "domain": "Inns",
    }


def toolhop() -> Files:
    return {"data/ToolHop.json": [_question(0), _question(1), _question(13)]}


def toolhop_rows() -> Files:
    rows = [{**_question(n), "id": f"toolhop-{n}", "source_id": n} for n in (13, 1)]
    return {"suite/v1/toolhop.jsonl": rows}


def _api(name: str, **more: Any) -> Any:
    return {
        "category_name": "Travel",
        "tool_name": "Inn-Finder 24",
        "api_name": name,
        "api_description": f"Does {name}. ",
        "required_parameters": [{"name": "town", "type": "STRING", "description": "Where"}],
        "optional_parameters": [
            {"name": "day", "type": "DATE", "description": ""}, {"name": "town", "type": "STRING"},
        ],
        "method": "GET",
        **more,
    }  # fmt: skip


TEMPLATE = {"inn": {"id": "str", "0": "str"}, "rooms": [{"beds": "int", "_list_length": 2}]}


def _query(number: int, *names: str, text: str = "") -> Any:
    return {
        "api_list": [_api("Find"), _api("Book", template_response=TEMPLATE)],
        "query": text or f"Request {number}",
        "relevant APIs": [["Inn-Finder 24", name] for name in names],
        "query_id": number,
    }


def _function(name: str, said: str = 'The description of this function is: "Maps."') -> Any:
    return {
        "name": name,
        "description": f'This is the subfunction for tool "maps", you can use this tool.{said}',
        "parameters": {
            "type": "object",
            "properties": {"town": {"type": "string", "description": "Where"}},
            "required": ["town"],
            "optional": [],
        },
    }


def _answer(*names: str, finish: str = "give_answer") -> Any:
    calls = [{"role": "assistant", "function_call": {"name": n}} for n in (*names, "Finish")]
    return {
        "win": True,
        "answer_generation": {
            "valid_data": True,
            "finish_type": finish,
            "function": [_function("show_for_maps"), {**_function("Finish"), "parameters": {}}],
            "query": "Show me the inn",
            "train_messages": [[], [{"role": "system", "content": ""}, *calls]],
        },
    }


def toolbench() -> Files:
    """The release: `data/`."""
    apis = [
        {"name": "Find", "description": "Finds.", "required_parameters": []},
        {"name": "Map", "description": "Maps.", "optional_parameters": None},
    ]
    tool = {"tool_name": "Inn-Finder 24", "tool_description": "Inns", "api_list": apis}
    return {
        "data/toolenv/tools/Travel/inn_finder_24.json": tool,
        "data/instruction/G1_query.json": [_query(1, "Find"), _query(2, "Find", "Fly")],
        "data/instruction/G3_query.json": [_query(3, "Find", "Book"), _query(4, "Map")],
        "data/test_instruction/G1_tool.json": [_query(1, "Find")],
        "data/answer/G1_answer/1_ChatGPT_DFS_woFilter_w2.json": _answer(
            "find_for_inn_finder_24", "show_for_maps"
        ),
        "data/answer/G1_answer/2_ChatGPT_DFS_woFilter_w2.json": _answer(
            "show_for_maps", finish="give_up"
        ),
    }


def stable_tool_bench() -> Files:
    return {
        f"solvable_queries/test_instruction/{group}.json": [_query(n, "Find", "Book")]
        for n, group in enumerate(("G1_tool", "G3_instruction"))
    }


def _run(ending: str) -> Any:
    nodes: list[Any] = []
    for name in ("Finish", "dreamt_of", "show_for_maps", "find_for_inn_finder_24"):
        message = f"{{'name': '{name}', 'arguments': '{{}}'"
        nodes = [{"role": "tool", "message": message, "next": nodes}]
    root = [{"role": "system", "message": "", "next": nodes}]
    return {
        "query": '"Show me the inn"',
        "available_tools": [_function("show_for_maps"), _function("find_for_inn_finder_24")],
        "answer": {"final_answer": f'{{"return_type": "{ending}"}}', "answer_details": root},
    }


def toolbench_parts() -> Files:
    """The five repositories in which parts of ToolBench can be had, in one folder."""
    sample = {
        "id": "tb_1",
        "query": "Show rooms",
        "available_tools": [{**_function("rooms_for_maps", ""), "parameters": {"town": "Where"}}],
        "gold_plan": [{"tool": "rooms_for_maps", "args": {}}],
    }
    responses = [
        {"tool": "rooms_for_maps", "output": "{'error': '', 'message': 'quota exceeded'}"},
        {"tool": "rooms_for_maps", "output": "{\"response\": \"{'beds': 2, 'free': True}\"}"},
        {"tool": "rooms_for_maps", "output": None},
    ]
    anytool = {
        "query": "Find any",
        "query_id": "1000",
        "gt_api_list": [{"tool_name": "Inn-Finder 24", "api_name": "Find"}],
    }
    return {
        **stable_tool_bench(),
        "toolbench_query_dataset/G1_tool.json": [_query(0, "Find", "Book"), _query(9, "Book")],
        "data/toolbench/samples.json": [sample],
        "data/toolbench/recorded_outputs.json": {"tb_1": responses},
        "data_example/answer/G1_answer/10_ChatGPT_DFS_woFilter_w2.json": _answer("show_for_maps"),
        "toolbench/tooleval/results/default_evalset/gpt-3.5-turbo_CoT/G1_tool.json": {
            "7": _run("give_answer"),
            "8": _run("give_up_and_restart"),
        },
        "atb_data/anytoolbench.json": [anytool],
    }


def tool_planner() -> Files:
    """ToolPlanner and COLT, to be read together with the parts of ToolBench."""

    def tagged(kind: str, tags: str) -> list[Any]:
        return [
            {
                "query": f"Short {number}.\n{kind}: {tags}.",
                "original_query": f"Long request {number}",
                "path": f"{number}_ChatGPT_DFS_woFilter_w2.json",
            }
            for number in (31, 7)
        ]

    text = (
        "category_name:Travel, tool_name:Trains, api_name:List, api_description:Lists trains., "
        'required_params: [{"name": "town", "type": "STRING", "description": ""}], '
        'optional_params: [], return_schema: {"train": "str"}'
    )
    asked = "\nLong request 7\nTag_Trace: list_for_trains, show_2_for_maps, Finish.\nBegin!\n"
    listed = f"You have access to the following APIs: {[_function('show_2_for_maps')]!r}"
    talk = [{"from": "system", "value": listed}, {"from": "user", "value": asked}]
    top = "data/category/coarse_instruction"
    return {
        f"{top}/api_instruction_5000.json": tagged("API", "list, find"),
        f"{top}/tool_instruction_5000.json": tagged("Tool", "trains, inn_finder_24"),
        "data/category/answer/G3_plan_gen_eval_1020_G3_3tag_whole_prefixTagTraceAll.json": [
            {"id": "Step 3: Long request 7", "conversations": talk},
            {"id": "Step 1: Long request 31", "conversations": [talk[0]]},
        ],
        "datasets/ToolBenchG3/corpus.jsonl": [{"_id": "0", "text": text}],
    }


def files_of(name: str) -> Files:
    """A whole benchmark by its name."""
    return {
        "traject_bench": traject_bench,
        "toollinkos": toollinkos,
        "taskbench": lambda: {**taskbench(), **process_bench()},
        "nestful": nestful,
        "seal_tools": seal_tools,
        "toolhop": toolhop,
        "toolbench": toolbench,
        "toolbench_rel": toolbench_parts,
        "toolbench_traj": toolbench_parts,
        "toolbench_g3": lambda: {**toolbench_parts(), **tool_planner()},
    }[name]()


LINES = ("_5000.json",)  # JSON lines, in spite of their names


def lay(folder: Path, files: Files) -> Path:
    """Write files into a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, list) and name.endswith((".jsonl", *LINES)):
            content = "".join(json.dumps(row) + "\n" for row in content)
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
    return folder


class Originals:
    """What the tests need of this file, which cannot be imported."""

    files_of = staticmethod(files_of)
    lay = staticmethod(lay)
    traject_older = staticmethod(traject_older)
    taskbench = staticmethod(taskbench)
    dags = DAGS
    nestful_second = staticmethod(nestful_second)
    toolhop_rows = staticmethod(toolhop_rows)
    stable_tool_bench = staticmethod(stable_tool_bench)


@pytest.fixture(scope="session")
def originals() -> Originals:
    return Originals()


@pytest.fixture
def original(tmp_path: Path) -> Callable[..., Path]:
    """Lay a tiny benchmark, or given files, into a new folder: original("nestful")."""

    def make(name: str, files: Files | None = None) -> Path:
        return lay(tmp_path / f"{name}-original", files_of(name) if files is None else files)

    return make
