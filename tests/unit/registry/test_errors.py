"""The tree of errors: every class is drawn, has its exit code, and says what to do."""

import inspect
import re

from spm.registry import errors
from spm.registry.errors import SpmError, StoreError

CLASSES = {
    name: kind
    for name, kind in vars(errors).items()
    if inspect.isclass(kind) and issubclass(kind, SpmError)
}


def test_the_drawing_shows_every_class_at_its_place():
    drawn: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"^([ │├└─]*)(\w+)  ", line):
            drawn.append((len(found[1]), found[2]))
    assert {name for _, name in drawn} == set(CLASSES)
    for place, (depth, name) in enumerate(drawn[1:], 1):
        parent = next(n for d, n in reversed(drawn[:place]) if d < depth)
        assert CLASSES[name].__bases__ == (CLASSES[parent],)


def test_the_store_has_its_own_exit_code():
    for kind in CLASSES.values():
        assert kind.exit_code == (3 if issubclass(kind, StoreError) else 1)
        assert kind.__doc__
