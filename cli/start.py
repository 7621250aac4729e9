"""The very beginning of `spm`: a warm process may answer before anything is imported."""

import sys


def run() -> None:
    """Entry point of the `spm` script."""
    if sys.argv[1:2] == ["menu"]:
        from spm.service.terminal import answered

        try:
            code = answered(sys.argv[1:])
        except KeyboardInterrupt:
            print("spm: interrupted.", file=sys.stderr)
            code = 130
        if code is not None:
            sys.exit(code)
    from spm.cli.main import run as whole

    whole()
