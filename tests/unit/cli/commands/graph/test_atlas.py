"""`spm atlas`: the whole answer as JSON, a short one for people."""


def test_json_has_every_list(in_shop):
    done = in_shop("atlas", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json["tools"] == 100
    assert done.json["asked"][0]["consumers"] >= done.json["asked"][-1]["consumers"]
    assert {"unreachable", "single_producers", "duplicates", "unused", "failing"} <= set(done.json)


def test_people_see_the_first_lines_of_each_list(in_shop):
    done = in_shop("atlas", "--limit", 2)
    assert done.code == 0
    assert "100 tools" in done.out
    assert "Tools that nobody can come to: none" in done.out
    assert "more; see them with --limit" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_unreachable_tools_say_what_they_wait_for(spm, tmp_path):
    file = tmp_path / "m.yaml"
    file.write_text(
        "spm: 1\nservice: s\ntools:\n"
        "  - {name: a, inputs: [{name: x}], outputs: [{name: y}]}\n"
        "  - {name: b, inputs: [{name: y}], outputs: [{name: x}]}\n"
    )
    assert spm("tools", "register", file, "--store", tmp_path / "s").code == 0
    done = spm("atlas", "--store", tmp_path / "s")
    assert "Tools that nobody can come to: 2" in done.out
    assert "x from s/b" in done.out
    done = spm("atlas", "--visible", "x", "--store", tmp_path / "s")
    assert "Tools that nobody can come to: none" in done.out
    assert "Tools without a description: 2" in done.out
    done = spm("atlas", "--visible", "nothing", "--store", tmp_path / "s")
    assert (done.code, done.out) == (1, "")


def test_an_empty_registry_says_what_to_do(spm, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    done = spm("atlas")
    assert (done.code, done.out) == (0, "")
    assert "spm demo" in done.err
