"""Run the command line with `python -m spm.cli`."""

from spm.cli.start import run

run()
