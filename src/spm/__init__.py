"""spm: a tool registry for LLM agents that prints short, executable menus.

    import spm

    with spm.open("tools.spm") as registry:
        registry.register("openapi.json")
        menu = registry.menu("Email the customer the receipt for order 4821")
        menu.to("openai")

`__all__` is what is supported. Names are loaded when they are first used, so that `import spm`
costs nothing.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spm.api.menu import Menu
    from spm.api.registry import Registry, open
    from spm.registry.access.caller import Caller
    from spm.registry.errors import SpmError
    from spm.registry.menus.menu import MenuItem
    from spm.registry.models import Manifest, ToolSpec, Trace

    __version__: str

__all__ = [
    "Caller",
    "Manifest",
    "Menu",
    "MenuItem",
    "Registry",
    "SpmError",
    "ToolSpec",
    "Trace",
    "__version__",
    "open",
]

DISTRIBUTION = "spm-registry"  # tells this package from the unrelated distribution `spm`

_HOME = {
    "Caller": "spm.registry.access.caller",
    "Manifest": "spm.registry.models",
    "Menu": "spm.api.menu",
    "MenuItem": "spm.registry.menus.menu",
    "Registry": "spm.api.registry",
    "SpmError": "spm.registry.errors",
    "ToolSpec": "spm.registry.models",
    "Trace": "spm.registry.models",
    "open": "spm.api.registry",
}

# Numeric libraries read these when they are loaded, and child processes inherit them. A menu
# multiplies small matrices: on a busy machine several threads wait for each other. OMP_NUM_THREADS
# speaks for all of them, so where somebody set it nothing is changed.
if "OMP_NUM_THREADS" not in os.environ:
    for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(_name, "1")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version(DISTRIBUTION)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_in_the_way()}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _in_the_way() -> str:
    """What to say of the unrelated distribution `spm`, where it is installed too; else nothing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("spm")
    except PackageNotFoundError:
        return ""
    return (
        f". The unrelated distribution spm {found} is installed in this environment and uses the "
        f"same import name; {DISTRIBUTION} took its place. Keep the two in different environments."
    )
