"""Run the command line with `python -m spm.cli`."""

from spm.cli.main import run

run()
