"""What maintainers run from the repository's root: speed, public data sets, experiments, the prior.

`python -m benchmarks --help` lists the commands, `make help` the words for the usual ones. Nothing
here is installed, and nothing that is installed imports it.
"""

import spm  # noqa: F401  before numpy, which reads how many threads it may use when it is loaded
