"""How often Python looks for cycles of dead objects, in processes that belong to spm."""

import gc

# A menu makes some 70,000 objects, nearly all of which go as soon as nobody holds them. By Python's
# own thresholds (700, 10, 10) it was interrupted eight times, for 4.6 of 35 CPU-ms.
_THRESHOLDS = 50_000, 20, 50


def collect_rarely() -> None:
    """Let the collector look less often; whoever embeds spm decides for its own process."""
    gc.set_threshold(*_THRESHOLDS)
