"""A series of runs in one setting: kept as they end, counted together, able to go on."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from spm.evaluation.agent.protocol import INSTRUCTION
from spm.evaluation.agent.records import Record, Summary, key_of, record, summary
from spm.evaluation.agent.run_files import Files, write_transcript
from spm.evaluation.agent.runner import Agent, Episode, run
from spm.evaluation.agent.shown_menus import constructor
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.menus.golden import GoldenRequest
from spm.registry.menus.menu import PREFIX, SIZE
from spm.registry.models import digest
from spm.registry.registry import Registry


@dataclass
class Series:
    """Runs of one model with one kind of menu, as far as they are over.

    Attributes:
        registry: where the tools are.
        agent: the model with its backend and judge.
        judge: what the judge is called.
        menu: what the constructor of menus is called.
        size: tools in a menu.
        prefix: the longest route in front.
        caller: who asks.
        wanted: the requests of the series by key.
        records: what was kept of those that are over.
        answers: what the model said at the end, of the runs of this time; kept in no file.
        before: how many were over before.
    """

    registry: Registry
    agent: Agent
    judge: str = "path"
    menu: str = "learned"
    size: int = SIZE
    prefix: int = PREFIX
    caller: Caller = EVERYTHING
    wanted: dict[str, GoldenRequest] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    before: int = 0

    def run(
        self,
        requests: Sequence[GoldenRequest],
        out: Path | None = None,
        resume: bool = False,
        transcripts: Path | None = None,
        *,
        parallel: int = 1,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        """Run what is not over yet; each run is kept as soon as it is.

        Args:
            requests: all requests of the series; the same one twice is run once.
            out: where traces go, and records beside them.
            resume: leave out what these files have already.
            transcripts: a folder for whole conversations, values and all.
            parallel: runs at a time.
            progress: hears how many are over, of how many.

        Raises:
            SpmError: see `Files` and `running.run`; what is over was kept.
        """
        self.wanted = {key_of(golden): golden for golden in requests}
        setting, observed = self.setting(), self.agent.backend.observed
        menus = constructor(
            self.menu, self.registry, size=self.size, prefix=self.prefix, caller=self.caller
        )
        with _files(out, setting, resume) as files:
            there = {one.key: one for one in files.before} if files else {}
            self.records = {key: there[key] for key in self.wanted if key in there}
            self.before = len(self.records)
            left = [golden for key, golden in self.wanted.items() if key not in there]

            def keep(episode: Episode) -> None:
                one = record(episode, setting, observed=observed)
                if transcripts:
                    write_transcript(transcripts, episode, one.key)
                if files:
                    files.add(one)
                self.records[one.key], self.answers[one.key] = one, episode.run.answer

            going = run(self.registry, left, self.agent, menus=menus, parallel=parallel, keep=keep)
            for done, _ in enumerate(going, 1):
                progress(done, len(left))

    def setting(self) -> dict[str, Any]:
        """What must be equal for runs to be counted together; no address and no key."""
        model = self.agent.endpoint
        return {
            "model": model.model,
            "menu": self.menu,
            "size": self.size,
            "prefix": self.prefix,
            "caller": digest(asdict(self.caller))[:8] if self.caller.restricted else "",
            "revision": self.registry.status()["revision"],
            "backend": self.agent.backend.name,
            "judge": self.judge,
            "max_calls": self.agent.budget,
            "temperature": model.temperature,
            "seed": model.seed,
            "body": digest(dict(model.more))[:8] if model.more else "",
            "instruction": digest(INSTRUCTION)[:8],
        }

    @property
    def over(self) -> list[Record]:
        """What was kept, in the order of the requests."""
        return [self.records[key] for key in self.wanted if key in self.records]

    @property
    def summary(self) -> Summary:
        """All runs that are over, in numbers."""
        return summary(self.over)

    def as_dict(self) -> dict[str, Any]:
        """Everything, with the answers, plain enough for JSON."""
        rows = [{**asdict(one), "answer": self.answers.get(one.key)} for one in self.over]
        for row in rows:
            del row["setting"]
        return {
            "setting": self.setting(),
            "simulated": not self.agent.backend.observed,
            "summary": self.summary.as_dict(),
            "runs": rows,
        }

    def notes(self) -> Iterator[str]:
        """What whoever asked should know besides the numbers."""
        counted = self.summary
        if self.before:
            yield f"{self.before} of {counted.runs} runs were over before."
        if not counted.calls and counted.endings["answer"]:
            yield (
                "The model called no tool at all. Does the server parse tool calls? (vLLM: "
                "--enable-auto-tool-choice --tool-call-parser …)"
            )
        if not self.agent.backend.observed:
            yield "Tools were simulated: this shows which tools the model calls, not what they do."
        if not counted.judged:
            yield "Nobody judged: as traces, these runs count as not successful. See --judge."


@contextmanager
def _files(out: Path | None, setting: dict[str, Any], resume: bool) -> Iterator[Files | None]:
    if out is None:
        yield None
        return
    with Files(out, setting, resume=resume) as files:
        yield files
