"""The benchmarks that can be imported: what they are, where they are, and who reads them."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from benchmarks.datasets import split
from benchmarks.datasets.files import Source
from benchmarks.datasets.rows import Made


@dataclass(frozen=True)
class Repository:
    """A place where a benchmark is published, at the state that was tried."""

    url: str
    commit: str

    def __str__(self) -> str:
        return f"{self.url} at {self.commit[:12]}"


@dataclass(frozen=True)
class Benchmark:
    """A benchmark.

    Attributes:
        name: of the data set; part of its splits, so it never changes.
        title: for people.
        reader: module and function that convert it.
        group: what must not be torn apart by the split.
        marks: files by which its layout is recognised, one of them is enough.
        repositories: in the order in which their folders are given.
        licence: of the data.
        attribution: whom to name.
        reported: fingerprint of the tools and episodes that published figures were measured on.
    """

    name: str
    title: str
    reader: str
    group: split.Group
    marks: tuple[str, ...]
    repositories: tuple[Repository, ...]
    licence: str
    attribution: str
    reported: str = ""

    def convert(self, source: Source, full: bool) -> Made:
        """Read the benchmark from its folders; `full`: also what no figure is reported on."""
        module, _, function = self.reader.partition(":")
        found: Callable[[Source, bool], Made] = getattr(
            import_module(f"benchmarks.datasets.{module}"), function or "convert"
        )
        return found(source, full)

    @property
    def about(self) -> str:
        """The layout that is expected, and where to get it."""
        places = ", ".join(map(str, self.repositories))
        files = f", with {self.marks[0]!r}" if self.marks else ""
        return f"{self.title} is expected as published{files}. Get it from {places}."


def _github(name: str, commit: str) -> Repository:
    return Repository(f"https://github.com/{name}", commit)


_TOOLBENCH = (
    _github("OpenBMB/ToolBench", "d56fdd89faf8c91fa135090b212bb9057ee5cfc2"),
    _github("THUNLP-MT/StableToolBench", "aa4ed9f4737ad98bd706663f01d63623c3427812"),
    _github("EduardoTrevino/Toolbench-qaq", "9628d3b568b522a56a837329bc5e19cb3af43135"),
    _github("dyabel/AnyTool", "6202212ce45329282cf812ae48427f8765cf164c"),
    _github("SYang2000/ACL_2026_EvoTool", "6a82719ea6e22cf23f963078e2527094e50b47f6"),
)
_TRAJECT = "PengfeiHePower/TRAJECT-Bench"

_ALL = (
    Benchmark(
        name="traject_bench",
        title="TRAJECT-Bench",
        reader="traject_bench",
        group=split.by_trajectory,
        marks=("public_data/tools/Travel_tool.json",),
        repositories=(
            _github(_TRAJECT, "2723fd890778dbfb6af9e3aa8ee1c22272979468"),
            _github(_TRAJECT, "dd7660eee51610b1960a772ca5a5f20b5fcd2190"),
            _github(_TRAJECT, "6053a431b9e659996c00794bc5bc0071587ce213"),
        ),
        licence="MIT",
        attribution="TRAJECT-Bench: A Trajectory-Aware Benchmark for Evaluating Agentic Tool Use, "
        "arXiv 2510.04550",
        reported="694da9b7d8ccaf8fd58f14472c8084c08e870fb78fab2f68f6219dadbda9e436",
    ),
    Benchmark(
        name="toollinkos",
        title="ToolLinkOS",
        reader="toollinkos",
        group=split.by_path,
        marks=("toollinkos/instances.json",),
        repositories=(
            _github(
                "EliasLumer/Graph-RAG-Tool-Fusion-ToolLinkOS",
                "b630b98656e25c3b83a71ea0406572add38ae46d",
            ),
        ),
        licence="MIT",
        attribution="Graph RAG-Tool Fusion, arXiv 2502.07223",
        reported="b209974e8248d73795ea85225db7ad51311fdb010949b4a126851e8791055c1c",
    ),
    Benchmark(
        name="taskbench",
        title="TaskBench",
        reader="taskbench",
        group=split.by_id,
        marks=("taskbench/data_multimedia/tool_desc.json",),
        repositories=(
            _github("microsoft/JARVIS", "c62e0faac76c4a2907cabe2cfe4bbe5f2e613400"),
            _github("microsoft/ProcessTBench", "70f21313b12f04f58c90ba458e4af6a9b50663bc"),
        ),
        licence="MIT (LICENSE of both repositories; TaskBench's README shows Apache-2.0)",
        attribution="TaskBench: Benchmarking Large Language Models for Task Automation, "
        "arXiv 2311.18760; paraphrases: ProcessTBench, Microsoft",
        reported="a034339e350f2a40290a99cfd9c8107e72c92115461ace19eda2f4710bb16af5",
    ),
    Benchmark(
        name="nestful",
        title="NESTFUL",
        reader="nestful",
        group=split.by_id,
        marks=(
            "data_v1/executable/executable-data.json",
            "data/executable/executable-data.json",
        ),
        repositories=(_github("IBM/NESTFUL", "053cbde0446dddd31e8293f179085e1b39ab79b5"),),
        licence="Apache-2.0",
        attribution="NESTFUL: A Benchmark for Evaluating LLMs on Nested Sequences of API Calls, "
        "arXiv 2409.03797",
        reported="3293cb75faf596f6cea69b03f794ea395c799e4bafbb9602d38f8e9848a99309",
    ),
    Benchmark(
        name="seal_tools",
        title="Seal-Tools",
        reader="seal_tools",
        group=split.by_id,
        marks=("Seal-Tools_Dataset/tool.jsonl",),
        repositories=(
            _github("fairyshine/Seal-Tools", "ce753ecd60ed08dd376984035de531ab8421f1c6"),
        ),
        licence="Apache-2.0",
        attribution="Seal-Tools: Self-Instruct Tool Learning Dataset for Agent Tuning and Detailed "
        "Benchmark, arXiv 2405.08355",
        reported="de1f9588e710a536611fbb6a632ccb876c0839b91fc95b042624b0d8b63badfd",
    ),
    Benchmark(
        name="toolhop",
        title="ToolHop",
        reader="toolhop",
        group=split.by_id,
        marks=("data/ToolHop.json", "suite/v1/toolhop.jsonl"),
        repositories=(
            Repository(
                "https://huggingface.co/datasets/bytedance-research/ToolHop",
                "b439d7279af359fda46e8117ae4f0245b75f5c6b",
            ),
            _github("local-bench/local-bench", "f0ce8cf352feb051fc82eee81d47e40a17453e96"),
        ),
        licence="data CC BY 4.0, code Apache-2.0",
        attribution="ToolHop, bytedance-research, ACL 2025, arXiv 2501.02506",
        reported="39331128af972238b5d078d00217a332c4900c19f633466dd568552344c22080",
    ),
    Benchmark(
        name="toolbench_g3",
        title="ToolBench G3 (MGToolBench of ToolPlanner)",
        reader="toolbench_g3",
        group=split.by_request,
        marks=("data/category/coarse_instruction/api_instruction_5000.json",),
        repositories=(
            _github("XiaoMi/toolplanner", "911af3a5a98950d6b61a247afd3b05b5a27b3bab"),
            _github("quchangle1/COLT", "bbec292c38cabe3fbae098f50cc31b2e9f7e8fca"),
            *_TOOLBENCH,
        ),
        licence="CC BY-NC-SA 4.0 (ToolPlanner: non-commercial, share alike); the original requests "
        "and APIs Apache-2.0 (ToolBench); COLT and Toolbench-qaq have no licence file",
        attribution="ToolPlanner, Copyright (C) 2024 Xiaomi Corporation, arXiv 2409.14826; "
        "ToolLLM (ToolBench), arXiv 2307.16789; COLT, arXiv 2405.16089",
        reported="f5ce5c64fa4bbf61a9badd4d27f490cdad0becd1ee89a546a3d052b51930289a",
    ),
    Benchmark(
        name="toolbench",
        title="ToolBench",
        reader="toolbench",
        group=split.by_request,
        marks=(
            "data/instruction/G*_query.json",
            "data/test_instruction/G*.json",
            "solvable_queries/test_instruction/G*.json",
        ),
        repositories=_TOOLBENCH[:2],
        licence="Apache-2.0",
        attribution="ToolLLM, arXiv 2307.16789; StableToolBench, arXiv 2403.07714",
    ),
    Benchmark(
        name="toolbench_rel",
        title="ToolBench's test instructions",
        reader="toolbench_runs:convert_instructions",
        group=split.by_request,
        marks=(),
        repositories=_TOOLBENCH,
        licence="Apache-2.0 (ToolBench, StableToolBench, AnyTool), MIT (EvoTool); Toolbench-qaq "
        "has no licence file, its data is ToolBench's",
        attribution="ToolLLM, arXiv 2307.16789; StableToolBench, arXiv 2403.07714; AnyTool; "
        "EvoTool",
        reported="2bc5f0e4d2beae4f5f26fe19707c9f6f3a6348c9257697af4570f1a54e984fad",
    ),
    Benchmark(
        name="toolbench_traj",
        title="ToolBench's observed runs",
        reader="toolbench_runs:convert_runs",
        group=split.by_request,
        marks=(),
        repositories=_TOOLBENCH,
        licence="Apache-2.0 (ToolBench, StableToolBench), MIT (EvoTool); Toolbench-qaq has no "
        "licence file, its data is ToolBench's",
        attribution="ToolLLM, arXiv 2307.16789; StableToolBench, arXiv 2403.07714; EvoTool",
        reported="da324ec618d7c3c9034adaa48684b7bdc874552e07103a1059d6b9bf388b94ec",
    ),
)

# In the order in which layouts are recognised: the first that fits.
BENCHMARKS = {one.name: one for one in _ALL}
