"""Run the commands with `python -m benchmarks`."""

import sys

from benchmarks.commands import main

sys.exit(main())
