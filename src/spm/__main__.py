"""Run the command line with `python -m spm`, as people try first."""

from spm_registry import main

main()
