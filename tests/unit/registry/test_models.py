"""What may come in: names, texts, identities and hashes."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from spm.registry.models import InputSpec, Manifest, ServiceSpec, ToolSpec, Trace, tool_id

HIDDEN = ["\x00", "\x1b", "\u200b", "\u202e", "\ufeff", "\U000e0041"]


@pytest.mark.parametrize("character", HIDDEN)
@pytest.mark.parametrize(
    "key", ["name", "title", "description", "version", "family", "owner", "successor"]
)
def test_invisible_characters_are_refused_in_every_text(key, character):
    with pytest.raises(ValidationError, match=f"U\\+{ord(character):04X}"):
        ToolSpec.model_validate({"name": "a", key: f"a{character}b"})


@pytest.mark.parametrize("key", ["scopes", "inputs", "outputs"])
def test_invisible_characters_are_refused_in_lists(key):
    value = ["a\u200bb"] if key == "scopes" else [{"name": "a\u200bb"}]
    with pytest.raises(ValidationError, match="U\\+200B"):
        ToolSpec.model_validate({"name": "a", key: value})


def test_descriptions_may_have_lines_and_names_may_not():
    assert ToolSpec(name="a", description="one\ntwo\tthree").description == "one\ntwo\tthree"
    for key in ("name", "version", "successor"):
        with pytest.raises(ValidationError, match="one line"):
            ToolSpec.model_validate({"name": "a", key: "a\nb"})


@pytest.mark.parametrize("name", ["", "   ", "--", "…", "x" * 257])
def test_a_name_needs_a_letter_or_digit_and_an_end(name):
    with pytest.raises(ValidationError):
        ToolSpec(name=name)


def test_a_service_name_has_no_slash_and_a_tool_name_may():
    with pytest.raises(ValidationError, match="must not contain '/'"):
        ServiceSpec(name="a/b")
    assert tool_id("github", ToolSpec(name="repos/get").name) == "github/repos/get"


def test_a_service_may_be_just_a_name():
    manifest = Manifest.model_validate({"spm": 1, "service": "mail", "tools": [{"name": "a"}]})
    assert manifest.service == ServiceSpec(name="mail")


def test_blanks_around_names_do_not_count():
    assert ToolSpec(name="  send  ").name == "send"


def test_the_same_field_in_two_spellings_is_refused():
    with pytest.raises(ValidationError, match="inputs name the same field twice: order_id"):
        ToolSpec.model_validate(
            {"name": "a", "inputs": [{"name": "orderId"}, {"name": "order_id"}]}
        )


def test_a_field_may_go_in_and_come_out():
    ToolSpec.model_validate({"name": "a", "inputs": [{"name": "x"}], "outputs": [{"name": "x"}]})


def test_the_same_tool_object_twice_is_refused():
    tool = ToolSpec(name="send_mail")
    with pytest.raises(ValidationError, match="send_mail"):
        Manifest(spm=1, service=ServiceSpec(name="mail"), tools=(tool, tool))


@pytest.mark.parametrize(
    "value", ["2026-01-05", b"x", {"a": b"x"}, {"a": float("nan")}, {"a": "\ud800"}]
)
@pytest.mark.parametrize("key", ["input_schema", "output_schema", "call"])
def test_what_a_source_gave_must_be_plain_json(key, value):
    with pytest.raises(ValidationError):
        ToolSpec.model_validate({"name": "a", key: value})


# -- hashes ------------------------------------------------------------------------------------

SPECS = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "b", "Ä"])},
    optional={
        "description": st.sampled_from(["", "x", "y"]),
        "effects": st.sampled_from(["read", "write"]),
        "inputs": st.lists(
            st.fixed_dictionaries({"name": st.sampled_from(["p", "q"])}),
            max_size=1,
        ),
        "scopes": st.lists(st.sampled_from(["s", "t"]), max_size=2),
    },
)


@given(SPECS, st.none() | st.sampled_from(["1", "2.0"]))
def test_the_hash_does_not_depend_on_the_version_label(spec, version):
    plain = ToolSpec.model_validate(spec)
    labelled = ToolSpec.model_validate({**spec, "version": version})
    assert plain.content_hash("s") == labelled.content_hash("s")


@given(SPECS, SPECS)
def test_the_hash_tells_contents_apart(first, second):
    a, b = ToolSpec.model_validate(first), ToolSpec.model_validate(second)
    assert (a == b) == (a.content_hash("s") == b.content_hash("s"))
    assert a.content_hash("s") != a.content_hash("t")


def test_the_hash_of_one_tool_is_written_down_here():
    # If this changes, every registered tool looks changed after an upgrade.
    tool = ToolSpec.model_validate(
        {
            "name": "send_mail",
            "description": "Send a mail – now.",
            "inputs": [{"name": "address"}, {"name": "body", "required": False}],
            "outputs": [{"name": "message_id", "type": "integer"}],
        }
    )
    assert tool.content_hash("mail") == HASH


HASH = "a01fa2dd35ab5381d60fb07d1480a31a7a260a9ce34e82bdca17b157aabe1267"


def test_the_hash_is_the_same_in_every_process():
    program = (
        "from spm.registry.models import ToolSpec;"
        "print(ToolSpec(name='a', scopes=('x', 'y')).content_hash('s'))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1


# -- traces ------------------------------------------------------------------------------------


def test_an_id_is_made_of_the_content_when_none_is_given():
    def identity(**more: object) -> str:
        return Trace.model_validate({"request": "x", "steps": ["a"], **more}).identity()

    assert identity() == identity()
    assert identity().startswith("sha256:")
    assert identity() != identity(steps=["b"])
    assert identity() != identity(success=False)
    assert identity(trace_id="t1") == "t1"


def test_values_of_calls_are_no_part_of_a_trace():
    step = {"tool": "a", "arguments": {"password": "hunter2"}, "result": "hunter2"}
    trace = Trace.model_validate({"request": "x", "steps": [step]})
    bare = Trace.model_validate({"request": "x", "steps": ["a"]})
    assert trace.identity() == bare.identity()
    assert "hunter2" not in repr(trace)
    assert "hunter2" not in json.dumps(trace.model_dump(mode="json"))


@pytest.mark.parametrize(
    ("given_time", "moment"),
    [
        ("2026-01-05T08:19:40Z", "2026-01-05T08:19:40Z"),
        ("2026-01-05T10:19:40+02:00", "2026-01-05T08:19:40Z"),
        ("2026-01-05T08:19:40", "2026-01-05T08:19:40Z"),
        ("2026-01-05T08:19:40.999Z", "2026-01-05T08:19:40Z"),
        (None, None),
    ],
)
def test_times_are_kept_as_utc(given_time, moment):
    trace = Trace.model_validate({"request": "x", "steps": ["a"], "time": given_time})
    assert trace.moment() == moment


def test_the_order_of_fields_and_keys_is_no_content():
    first = ToolSpec(
        name="x",
        scopes=("a", "b"),
        inputs=(InputSpec(name="a"), InputSpec(name="b")),
        input_schema={"required": ["a", "b"], "properties": {"a": {}, "b": {}}},
    )
    second = ToolSpec(
        name="x",
        scopes=("b", "a"),
        inputs=(InputSpec(name="b"), InputSpec(name="a")),
        input_schema={"properties": {"b": {}, "a": {}}, "required": ["b", "a"]},
    )
    assert first.content_hash("s") == second.content_hash("s")
    other = first.model_copy(update={"description": "y"})
    assert other.content_hash("s") != first.content_hash("s")
