"""The `spm` command's entry point, outside of the package `spm`.

An unrelated distribution is called `spm` on the package index and installs a package of that name.
Where it took the place of ours, this module is still found and says so.
"""

import sys

DISTRIBUTION = "spm-registry"


def main() -> None:
    """Run the command line, or say why it cannot run."""
    if problem := _problem():
        print(f"spm: {problem}", file=sys.stderr)
        sys.exit(1)
    from spm.cli.main import run

    run()


def _problem() -> str:
    """What is wrong with the package that `import spm` finds; empty when it is ours."""
    try:
        import spm
    except ImportError as error:  # the other distribution needs libraries that may be missing
        found = f"The package 'spm' cannot be imported ({error})"
    else:
        if getattr(spm, "DISTRIBUTION", None) == DISTRIBUTION:
            return ""
        place = getattr(spm, "__file__", None)
        found = f"The package 'spm' is not that of {DISTRIBUTION}, but " + (
            repr(place) if place else "one without __init__.py"
        )
    from importlib.metadata import PackageNotFoundError, version

    try:
        other = f"the unrelated distribution spm {version('spm')} is installed in this environment"
    except PackageNotFoundError:
        other = "perhaps the unrelated distribution spm was installed here, or removed"
    return (
        f"{found}: {other}. Both use the same import name. Repair it: pip uninstall spm, then "
        f"install {DISTRIBUTION} again with --force-reinstall."
    )


if __name__ == "__main__":
    main()
