"""What a service is told, as its workers read it again."""

import os

from spm.service.settings import ServiceSettings, from_environment


def test_workers_read_what_the_first_process_was_told():
    told = ServiceSettings(store="here", port=1, hosts=("a", "b"), backends="who.yaml", queue=3)
    assert from_environment(told.environment()) == told


def test_the_environment_names_backends_where_the_settings_do_not(monkeypatch):
    monkeypatch.delenv("SPM_BACKENDS", raising=False)
    assert ServiceSettings().backends_file is None
    monkeypatch.setitem(os.environ, "SPM_BACKENDS", "theirs.yaml")
    assert ServiceSettings().backends_file == "theirs.yaml"
    assert ServiceSettings(backends="mine.yaml").backends_file == "mine.yaml"
