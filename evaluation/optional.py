"""Packages that only some constructors need, imported when one is made."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from spm.registry.errors import InputError


def package(name: str, user: str, extra: str) -> Any:
    """Import an optional package, or a part of it.

    Args:
        name: of the module.
        user: the constructor that needs it.
        extra: what it is installed with.

    Raises:
        InputError: it is not installed; says how to install it.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise InputError(
            f"The constructor {user!r} needs the package {error.name!r}, which is not installed. "
            f"Install it with: pip install 'spm-registry[{extra}]'"
        ) from error


def versions(*names: str) -> str:
    """What is installed of these distributions: it decides menus too."""
    return " ".join(f"{name} {_version(name)}" for name in names)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
