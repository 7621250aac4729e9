"""Constructors made by hand, by name."""

import pytest

from spm.evaluation.constructors import KNOWN
from tests.data import corpora


@pytest.fixture(autouse=True)
def _by_hand(monkeypatch):
    for name in ("Straight", "Turned", "Needy", "Stops", "Invents", "Repeats"):
        monkeypatch.setitem(KNOWN, name.lower(), corpora.by_hand(name))
    corpora.Straight.forget()
