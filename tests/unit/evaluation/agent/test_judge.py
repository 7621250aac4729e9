"""Who says that a run succeeded, and what they get to see."""

import itertools
import json
import sys
from pathlib import Path

import pytest

from spm.evaluation.agent.episode import Call, Ending, Run
from spm.evaluation.agent.judge import Verdict, by_path, evidence, gold, judge
from spm.registry.calling.observations import observation, standard
from spm.registry.catalog.tools import Resolver
from spm.registry.errors import InputError, JudgeError
from spm.registry.menus.golden import GoldenRequest

PATH = ("find_order", "make_receipt", "find_mail", "send_mail")


def made(*names: str, ended: Ending = "answer", answer: str = "done") -> Run:
    """A run with these calls; a name with ! is one that failed."""
    calls = [
        Call(
            name.rstrip("!"),
            f"shop/{name.rstrip('!')}",
            {"order_id": "4821"},
            standard("exception", "no") if name.endswith("!") else observation({"a": 1}),
        )
        for name in names
    ]
    return Run([], calls, ended, answer)


@pytest.fixture
def known(shop_registry):
    def make(golden):
        return gold(shop_registry.store, Resolver(shop_registry.store), golden)

    return make


@pytest.fixture
def verdict(known):
    def ask(run, path=PATH, chain=True):
        golden = GoldenRequest("do it", tuple(path), (), chain)
        return by_path(golden, known(golden), run)

    return ask


def test_the_path_in_its_order_is_a_success(verdict):
    assert verdict(made(*PATH)) == Verdict(True, "every tool of the path worked")
    assert verdict(made(*PATH, ended="budget", answer="")).success


def test_what_else_was_called_does_not_matter(verdict):
    assert verdict(made("close_case", "find_order!", *PATH, "find_order")).success


@pytest.mark.parametrize("order", list(itertools.permutations(PATH)))
def test_any_order_in_which_each_tool_has_its_inputs_is_valid(verdict, order):
    place = order.index
    fed = [("find_order", "make_receipt"), ("find_order", "find_mail")]
    fed += [("make_receipt", "send_mail"), ("find_mail", "send_mail")]
    valid = all(place(first) < place(second) for first, second in fed)
    assert verdict(made(*order)).success is valid
    assert verdict(made(*order), chain=False).success


def test_a_tool_that_failed_or_is_missing_is_named(verdict):
    found = verdict(made("find_order", "make_receipt", "find_mail!"))
    assert found == Verdict(False, "never worked: shop/find_mail, shop/send_mail")
    found = verdict(made("send_mail", "find_order", "make_receipt", "find_mail"))
    assert found == Verdict(False, "called too soon: shop/send_mail")
    # Called again when its inputs are there, it counts.
    assert verdict(made("send_mail", *PATH)).success


def test_tools_that_do_not_say_what_they_give_keep_their_order(verdict):
    path = ("close_case", "find_order")
    assert verdict(made(*path), path).success
    assert not verdict(made(*reversed(path)), path).success


def test_a_path_through_a_tool_that_is_not_registered_cannot_succeed(verdict):
    found = verdict(made("find_order"), ("find_order", "gone"))
    assert found == Verdict(False, "never worked: gone")


def test_a_path_counts_each_tool_once(verdict):
    assert verdict(made("find_order"), ("find_order", "shop/find_order")).success


def test_without_a_path_nobody_judges(known):
    golden = GoldenRequest("do it", ())
    assert known(golden) is None
    assert by_path(golden, None, made("find_order")) is None
    assert judge("none")(golden, None, made()) is None


def test_a_judge_sees_the_run_and_not_who_built_the_menu(known):
    golden = GoldenRequest("do it", ("find_order",))
    seen = evidence(golden, known(golden), made("find_order"))
    assert seen == {
        "request": "do it",
        "path": ["shop/find_order"],
        "calls": [
            {
                "tool": "shop/find_order",
                "name": "find_order",
                "arguments": {"order_id": "4821"},
                "outcome": "ok",
                "observation": '{"a": 1}',
            }
        ],
        "answer": "done",
        "ended": "answer",
    }


def program(tmp_path: Path, text: str) -> str:
    file = tmp_path / "judge.py"
    file.write_text(f"import json, sys\nseen = json.load(sys.stdin)\n{text}\n")
    return f"command:{sys.executable} {file}"


def test_a_program_can_judge(tmp_path):
    said = program(
        tmp_path,
        "print(json.dumps({'success': seen['answer'] == 'done', 'reason': seen['request']}))",
    )
    asked = judge(said)
    assert asked(GoldenRequest("do it", ()), None, made()) == Verdict(True, "do it")
    assert asked(GoldenRequest("do it", ()), None, made(answer="?")) == Verdict(False, "do it")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("print('yes')", "no verdict"),
        ("print(json.dumps({'success': 1}))", "no verdict"),
        ("print('[]')", "no verdict"),
        ("sys.exit('out of ink')", "ended with 1: out of ink"),
    ],
)
def test_a_program_without_a_verdict_is_an_error(tmp_path, text, told):
    with pytest.raises(JudgeError, match=told):
        judge(program(tmp_path, text))(GoldenRequest("a", ()), None, made())


def test_a_program_that_is_not_there_is_an_error():
    with pytest.raises(JudgeError, match="cannot be asked"):
        judge("command:/no/such/program")(GoldenRequest("a", ()), None, made())


def test_no_shell_reads_a_command(tmp_path):
    # The words after ; are arguments of the program, nothing else.
    said = program(tmp_path, "print(json.dumps({'success': True, 'reason': sys.argv[1]}))")
    found = judge(f"{said} ';touch {tmp_path}/x'")(GoldenRequest("a", ()), None, made())
    assert found == Verdict(True, f";touch {tmp_path}/x")
    assert not (tmp_path / "x").exists()


def test_a_function_can_judge(tmp_path, monkeypatch):
    (tmp_path / "my_judges.py").write_text(
        "def kind(seen):\n    return {'success': True, 'reason': 'x' * 9000}\n"
        "def broken(seen):\n    raise KeyError('a')\n"
    )
    monkeypatch.chdir(tmp_path)
    found = judge("my_judges:kind")(GoldenRequest("a", ()), None, made())
    assert found == Verdict(True, "x" * 500)
    with pytest.raises(JudgeError, match="KeyError"):
        judge("my_judges:broken")(GoldenRequest("a", ()), None, made())
    sys.modules.pop("my_judges")


@pytest.mark.parametrize("said", ["", "paths", "command:", "command: ", "command:'a", "a.b:"])
def test_no_such_judge(said):
    with pytest.raises(InputError):
        judge(said)


def test_evidence_is_json(known):
    golden = GoldenRequest("do it", ("find_order",))
    assert json.loads(json.dumps(evidence(golden, known(golden), made("find_order!"))))
