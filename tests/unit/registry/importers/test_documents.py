"""Reading manifests and traces: whatever comes in, it is either right or refused with its place."""

import json
import os
import threading
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spm.registry import demo
from spm.registry.errors import ManifestError, TraceError
from spm.registry.importers import documents
from spm.registry.importers.documents import manifest_schema, read_manifest, read_traces
from spm.registry.traces.redaction import MAX_NAMES

YAML = """\
spm: 1
service: mail
tools:
  - name: send_mail
    description: Send a mail.
    inputs:
      - {name: address, type: string}
      - {name: body, type: string, required: false}
    outputs:
      - name: message_id
"""
JSON = json.dumps(
    {
        "spm": 1,
        "service": "mail",
        "tools": [
            {
                "name": "send_mail",
                "description": "Send a mail.",
                "inputs": [
                    {"name": "address", "type": "string"},
                    {"name": "body", "type": "string", "required": False},
                ],
                "outputs": [{"name": "message_id"}],
            }
        ],
    },
    indent=2,
)
TRACE = '{"trace_id": "t1", "request": "mail Ann", "steps": ["find", {"tool": "send_mail"}]}'


@pytest.fixture
def refused(tmp_path):
    """Read a manifest that must be refused; returns the message without the folder."""

    def read(content: str | bytes, name: str = "m.yaml") -> str:
        file = tmp_path / name
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        with pytest.raises(ManifestError) as caught:
            read_manifest(file)
        return str(caught.value).replace(f"{tmp_path}/", "")

    return read


@pytest.fixture
def refused_trace(tmp_path):
    def read(content: str | bytes) -> str:
        file = tmp_path / "t.jsonl"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        with pytest.raises(TraceError) as caught:
            list(read_traces(file))
        return str(caught.value).replace(f"{tmp_path}/", "")

    return read


def test_yaml_and_json_say_the_same(tmp_path):
    (tmp_path / "m.yaml").write_text(YAML)
    (tmp_path / "m.json").write_text(JSON)
    manifest = read_manifest(tmp_path / "m.yaml")
    assert manifest == read_manifest(tmp_path / "m.json")
    assert manifest.service.name == "mail"
    assert [(i.name, i.required) for i in manifest.tools[0].inputs] == [
        ("address", True),
        ("body", False),
    ]


def test_json_is_recognised_without_its_suffix(tmp_path):
    (tmp_path / "manifest").write_text(JSON)
    assert read_manifest(tmp_path / "manifest").tools[0].name == "send_mail"


@pytest.mark.parametrize(("name", "content"), [("m.yaml", YAML), ("m.json", JSON)])
def test_a_byte_order_mark_does_no_harm(tmp_path, name, content):
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + content.encode())
    assert read_manifest(tmp_path / name).service.name == "mail"


def test_truncated_json_is_refused_with_line_and_column(refused):
    for end in range(1, len(JSON) - 1):
        assert refused(JSON[:end], "m.json").startswith("m.json: not valid JSON at line ")
    assert "line 3, column 1" in refused('{"spm": 1,\n"service": \n}', "m.json")


def test_truncated_yaml_is_never_read_as_something_else(tmp_path):
    """A prefix of YAML may be a smaller valid manifest, but then it ends between two values."""
    file = tmp_path / "m.yaml"
    for end in range(len(YAML)):
        file.write_text(YAML[:end])
        try:
            manifest = read_manifest(file)
        except ManifestError:
            continue
        assert end > YAML.index("send_mail")
        assert manifest.service.name == "mail"


def test_yaml_cut_within_brackets_is_refused_with_its_place(refused):
    message = refused(YAML[: YAML.index("required")])
    assert message.startswith("m.yaml:9:1: ")  # where the next value was looked for
    assert "not a valid manifest" in message


def test_a_key_that_stands_twice_is_refused_in_yaml(refused):
    message = refused(YAML + "    description: Another.\n")
    assert message.startswith("m.yaml:11:5: ")
    assert "'description' stands twice" in message


def test_a_key_that_stands_twice_is_refused_in_json(refused):
    message = refused(JSON.replace('"spm": 1,', '"spm": 1, "spm": 1,'), "m.json")
    assert "the key 'spm' stands twice" in message


def test_an_unknown_key_is_refused_with_its_place(refused):
    message = refused(YAML.replace("{name: address,", "{name: address, kind: x,"))
    assert "tools[0].inputs[0].kind: unknown key; see the format with: spm tools schema" in message


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("spm: 1", "spm: 2", "spm"),
        ("service: mail", "service: [mail]", "service"),
        ("service: mail", "service: {name: a/b}", "service.name"),
        ("name: send_mail", "name: 5", "tools[0].name"),
        ("name: send_mail", "name: [a]", "tools[0].name"),
        ("name: send_mail", "name: '--'", "tools[0].name"),
        ("description: Send a mail.", "version: 1.0", "tools[0].version"),
        ("description: Send a mail.", "status: old", "tools[0].status"),
        ("description: Send a mail.", "effects: none", "tools[0].effects"),
        ("type: string}", "type: text}", "tools[0].inputs[0].type"),
        ("required: false", "required: perhaps", "tools[0].inputs[1].required"),
        ("- name: message_id", "- message_id", "tools[0].outputs[0]"),
        ("{name: body,", "{name: Address,", "tools[0]"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(refused, old, new, place):
    assert old in YAML
    assert f"\n  {place}: " in refused(YAML.replace(old, new, 1))


def test_a_wrong_value_is_shown_and_a_long_one_is_not(refused):
    assert "(got 'old')" in refused(YAML.replace("description: Send a mail.", "status: old"))
    long = "x" * 10_000
    assert long not in refused(YAML.replace("description: Send a mail.", f"status: {long}"))


def test_at_most_five_mistakes_are_listed(refused):
    keys = "".join(f"    key{i}: 1\n" for i in range(9))
    message = refused(YAML + keys)
    assert message.count("unknown key") == 5
    assert "… and " in message


def test_the_same_tool_twice_is_refused(refused):
    for name in ("a", "send_mail"):
        tools = [{"name": name}, {"name": name}]
        message = refused(json.dumps({"spm": 1, "service": "mail", "tools": tools}), "m.json")
        assert repr(name) in message


def test_a_manifest_without_tools_is_refused(refused):
    assert "tools: " in refused("spm: 1\nservice: mail\ntools: []\n")


@pytest.mark.parametrize("name", ["m.yaml", "m.json"])
@pytest.mark.parametrize("content", ["", " \n\n", "null", "[]", "5", '"text"'])
def test_a_file_that_holds_no_manifest_is_refused(refused, name, content):
    assert refused(content, name).startswith("m.")


def test_an_alias_bomb_is_refused_at_once(refused):
    levels = "\n".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 30))
    before = time.process_time()
    message = refused(f"spm: 1\nl0: &l0 [x]\n{levels}\n")
    assert time.process_time() - before < 60
    assert "YAML aliases (*l0) are not accepted" in message
    assert message.startswith("m.yaml:3: ")


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_deep_yaml_is_refused_at_once(refused, opening):
    before = time.process_time()
    assert "nested deeper than 64" in refused(opening * 200_000)
    assert time.process_time() - before < 60


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_json_is_refused(refused, opening):
    assert "nested too deeply" in refused(opening * 200_000, "m.json")


def test_numbers_without_end_are_refused(refused):
    assert "too large" in refused(f'{{"spm": {"9" * 5_000}}}', "m.json")
    assert refused(f"spm: {'9' * 5_000}")


@pytest.mark.parametrize(
    "value",
    [
        "!!map [1]", '!!int ""', "!!timestamp x", "!!bool x", '!!float ""', '!!binary "a"',
        "!!python/object/apply:os.system [id]", "!!python/name:os.system", "2026-13-45", "!x y",
        "{<<: {a: 1}}", "? [a]\n    : b", "{1: a}", "{null: a}",
    ],
)  # fmt: skip
def test_yaml_that_is_more_than_data_is_refused(refused, value):
    assert refused(f"spm: 1\nservice: mail\ntools:\n  - name: {value}\n")


def test_text_that_is_not_utf8_is_refused_with_the_byte(refused):
    assert "not UTF-8 at byte 5" in refused(b"spm: \xff")
    assert "not UTF-8" in refused(YAML.encode("utf-16"))


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity"])
def test_what_json_does_not_know_is_refused(refused, name):
    assert f"{name} is not JSON" in refused(f'{{"spm": {name}}}', "m.json")


def test_half_a_character_is_refused(refused):
    assert refused(JSON.replace("mail", "\\ud800", 1), "m.json")
    assert refused(JSON.replace('"name"', '"\\ud800": 1, "name"', 1), "m.json")


def test_a_file_over_the_limit_is_refused_unread(refused):
    assert "more than 20,000,000 bytes" in refused(b"#" * (documents.MAX_BYTES + 1))


def test_a_file_at_the_limit_is_read(tmp_path):
    file = tmp_path / "m.yaml"
    file.write_bytes(YAML.encode() + b"#" + b" " * (documents.MAX_BYTES - len(YAML) - 1))
    assert file.stat().st_size == documents.MAX_BYTES
    assert read_manifest(file).service.name == "mail"


def test_a_device_without_end_is_refused():
    with pytest.raises(ManifestError, match="more than 20,000,000 bytes"):
        read_manifest(Path("/dev/zero"))


def test_a_pipe_can_be_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(YAML,))
    writer.start()
    assert read_manifest(pipe).service.name == "mail"
    writer.join()


def test_a_folder_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(ManifestError, match=r"Cannot read '.*': Is a directory"):
        read_manifest(tmp_path)
    with pytest.raises(ManifestError, match=r"Cannot read '.*nothing.yaml': No such file"):
        read_manifest(tmp_path / "nothing.yaml")
    with pytest.raises(TraceError, match="Is a directory"):
        list(read_traces(tmp_path))
    with pytest.raises(TraceError, match="No such file"):
        list(read_traces(tmp_path / "nothing.jsonl"))


# -- traces ------------------------------------------------------------------------------------


def test_traces_are_read_line_by_line(tmp_path):
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + f"{TRACE}\n\n  \n{TRACE}".encode())
    first, second = read_traces(file)
    assert first == second
    assert [step.tool for step in first.steps] == ["find", "send_mail"]


def test_a_trace_is_given_before_the_next_line_is_read(tmp_path):
    file = tmp_path / "t.jsonl"
    file.write_text(f"{TRACE}\nnot json\n")
    traces = read_traces(file)
    assert next(traces).trace_id == "t1"
    with pytest.raises(TraceError, match=r"t\.jsonl:2: not valid JSON at column 1"):
        next(traces)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (TRACE[:-5], "not valid JSON at column"),
        ('{"request": "x", "request": "y"}', "the key 'request' stands twice"),
        ('{"request": "x", "steps": ["a"], "more": 1}', "more: unknown key"),
        ('{"request": "x", "steps": []}', "steps: "),
        ('{"request": 5, "steps": ["a"]}', "request: "),
        ('{"request": "x", "steps": [5]}', "steps[0]: "),
        ('{"request": "x", "steps": [{"tool": "a", "ok": "perhaps"}]}', "steps[0].ok: "),
        ('{"request": "x", "steps": ["a"], "time": "yesterday"}', "time: "),
        ('{"request": "x", "steps": ["a"], "time": "0001-01-01T00:00:00+14:00"}', "years 1000"),
        ('{"request": "x", "steps": ["a"], "time": "9999-12-31T23:59:59-14:00"}', "years 1000"),
        ('{"request": "x", "steps": ["a"], "time": NaN}', "NaN is not JSON"),
        ('{"request": "\\ud800", "steps": ["a"]}', "request: "),
        ("[" * 100_000, "nested too deeply"),
        ("5", "document: "),
        (b'{"request": "\xff"}', "not UTF-8 at byte 13"),
        (b" " * (documents.MAX_LINE + 1), "longer than 2,000,000 bytes"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(refused_trace, line, message):
    line = line if isinstance(line, bytes) else line.encode()
    found = refused_trace(TRACE.encode() + b"\n\n" + line + b"\n")
    assert found.startswith("t.jsonl:3")
    assert message in found


def test_a_line_without_end_is_refused_soon():
    with pytest.raises(TraceError, match="zero:1: a line is longer"):
        list(read_traces(Path("/dev/zero")))


# -- whatever else -----------------------------------------------------------------------------


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode(errors="replace")))
@example(b"%YAML 1.1\n---\n")
@example(b"{")
@example(b"--- a\n--- b\n")
@example(b"\xef\xbb\xbf")
@pytest.mark.parametrize("name", ["m.yaml", "m.json"])
def test_random_bytes_raise_only_manifest_errors(tmp_path_factory, name, content):
    file = tmp_path_factory.getbasetemp() / name
    file.write_bytes(content)
    with pytest.raises(ManifestError):
        read_manifest(file)


# Pieces that mean something, so that mutations get further than the first byte.
PIECES = st.sampled_from(
    [b'"', b"'", b"{", b"}", b"[", b"]", b":", b",", b"\n", b"  ", b"- ", b"&a ", b"*a", b"!!int ",
     b"!!map ", b"null", b"NaN", b"1e999", b"\\ud800", b"\x00", b"\xff", b"\xe2\x80\x8b", b"true",
     b"|", b">", b"%", b"@", b"`", b"? ", b"<<: ", b"9999999999999999999999", b"0x", b"2026-01-01"]
)  # fmt: skip
MUTATIONS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 12), PIECES | st.binary(max_size=3)),
    min_size=1,
    max_size=4,
)


def mutated(source: bytes, mutations: list[tuple[float, int, bytes]]) -> bytes:
    for place, cut, piece in mutations:
        at = int(place * len(source))
        source = source[:at] + piece + source[at + cut :]
    return source


@given(MUTATIONS)
@pytest.mark.parametrize(("name", "content"), [("m.yaml", YAML), ("m.json", JSON)])
def test_mutated_manifests_are_valid_or_refused(tmp_path_factory, name, content, mutations):
    file = tmp_path_factory.getbasetemp() / name
    file.write_bytes(mutated(content.encode(), mutations))
    message = str(file)
    try:
        manifest = read_manifest(file)
        for tool in manifest.tools:  # whatever was let in can be written
            assert tool.content_hash(manifest.service.name)
    except ManifestError as error:
        message = str(error)
    assert str(file) in message


@given(MUTATIONS)
def test_mutated_traces_are_valid_or_refused(tmp_path_factory, mutations):
    file = tmp_path_factory.getbasetemp() / "t.jsonl"
    more = TRACE.replace("}]", ', "arguments": {"a": [1]}}], "time": "2026-01-05T08:19:40Z"', 1)
    file.write_bytes(mutated(f"{TRACE}\n{more}\n".encode(), mutations))
    message = str(file)
    try:
        for trace in read_traces(file):
            assert trace.identity()
            assert len(trace.moment() or "2026-01-05T08:19:40Z") == 20
    except TraceError as error:
        message = str(error)
    assert str(file) in message


def test_the_schema_describes_the_demo():
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    for manifest in demo.manifests():
        jsonschema.validate(manifest.model_dump(mode="json", exclude_none=True), manifest_schema())


def test_the_schema_takes_a_service_as_a_name_or_with_details():
    service = manifest_schema()["properties"]["service"]
    assert service["anyOf"] == [{"type": "string"}, {"$ref": "#/$defs/ServiceSpec"}]


def test_yaml_in_braces_is_yaml(tmp_path):
    (tmp_path / "m.yml").write_text("{spm: 1, service: mail, tools: [{name: send}]}")
    assert read_manifest(tmp_path / "m.yml").tools[0].name == "send"


def test_the_schema_names_every_key_of_a_manifest():
    schema = manifest_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(schema["properties"]) == {"spm", "service", "tools"}
    assert schema["additionalProperties"] is False
    tool = schema["$defs"]["ToolSpec"]
    assert {"name", "inputs", "outputs", "version", "status", "effects"} <= set(tool["properties"])
    assert tool["additionalProperties"] is False


@pytest.mark.parametrize("key", ["takes", "gives"])
def test_a_step_names_no_more_fields_than_are_kept_of_a_result(refused_trace, key):
    def line(count):
        step = {"tool": "a", key: {f"g{n}": "string" for n in range(count)}}
        return json.dumps({"request": "x", "steps": [step]}) + "\n"

    said = refused_trace(line(MAX_NAMES) + line(MAX_NAMES + 1))
    assert said.startswith(f"t.jsonl:2 is not valid:\n  steps[0].{key}: ")
    assert f"at most {MAX_NAMES} items" in said


@pytest.mark.parametrize(
    "name", ["", " ", "a\nb", "\x1b[2J", "...", "🎉", "`", "a" * 257, "a\u200bb"]
)
def test_fields_of_a_step_are_named_like_those_of_tools(refused_trace, name):
    step = {"tool": "a", "gives": {name: "string"}}
    said = refused_trace(json.dumps({"request": "x", "steps": [step]}))
    assert said.startswith("t.jsonl:1 is not valid:\n  steps[0].gives.")
    assert said.replace("\n", "").isprintable()
    assert len(said) < 300


def test_effects_that_a_manifest_leaves_out_are_doubted(tmp_path):
    path = tmp_path / "m.yaml"
    tools = "[{name: delete_x}, {name: send_x}, {name: x}, {name: wipe_x, effects: read}]"
    path.write_text(f"spm: 1\nservice: s\ntools: {tools}")
    found = {t.name: (t.effects, t.effects_derived) for t in read_manifest(path).tools}
    assert found == {
        "delete_x": ("destructive", True),
        "send_x": ("write", True),
        "x": ("read", False),
        "wipe_x": ("read", False),
    }
