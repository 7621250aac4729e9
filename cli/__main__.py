"""Run the command line with `python -m spm.cli`."""

from spm_registry import main

main()
