"""`spm export` and `spm import`: there, back, and refusals that write nothing."""


def test_a_registry_moves_through_one_file(spm, in_shop, tmp_path):
    file = tmp_path / "shop.jsonl.gz"
    done = in_shop("export", file)
    assert done.code == 0
    assert "100 tools" in done.out
    assert "SHA-256" in done.err
    done = spm("import", file, "--store", tmp_path / "new")
    assert done.code == 0
    assert f"imported into {tmp_path / 'new'}" in done.out
    shown = ["menu", "Email the customer the receipt for order 4821", "--json"]
    there = in_shop(*shown).json
    back = spm(*shown, "--store", tmp_path / "new").json
    assert back["items"] == there["items"]
    assert in_shop("export", file).code == 1
    again = in_shop("export", file, "--force", "--json")
    assert again.json["counts"]["trajectories"] == 495


def test_a_damaged_file_and_a_full_store_are_refused(spm, in_shop, demo_folder, tmp_path):
    file = tmp_path / "shop.jsonl"
    assert in_shop("export", file).code == 0
    done = spm("import", file, "--store", demo_folder)
    assert (done.code, done.out) == (1, "")
    assert "--store" in done.err
    file.write_bytes(file.read_bytes()[:-100])
    done = spm("import", file, "--store", tmp_path / "new")
    assert (done.code, done.out) == (1, "")
    assert "damaged" in done.err
    assert not (tmp_path / "new").exists()


def test_an_import_answers_in_json(spm, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert spm("export", tmp_path / "e").code == 0
    done = spm("import", tmp_path / "e", "--store", tmp_path / "new", "--json")
    assert done.code == 0
    assert done.json["counts"]["tools"] == 0


def test_a_registry_moves_through_a_pipe(shell, demo_folder, tmp_path):
    written = shell("export", "-", "--store", demo_folder)
    assert written.code == 0
    assert "100 tools" in written.err
    assert written.out.startswith('{"spm-export"')
    read = shell("import", "-", "--store", tmp_path / "new", stdin=written.out)
    assert (read.code, read.err) == (0, "")
    assert "100 tools" in read.out
    again = shell("export", "-", "--store", tmp_path / "new")
    assert again.out.splitlines()[1:-1] == written.out.splitlines()[1:-1]  # but for the revision


def test_a_stream_that_is_no_export_is_refused(shell, in_shop, tmp_path):
    done = shell("import", "-", "--store", tmp_path / "new", stdin="hello")
    assert (done.code, done.out) == (1, "")
    assert "no export of spm" in done.err
    assert in_shop("export", "-", "--json").code == 2
