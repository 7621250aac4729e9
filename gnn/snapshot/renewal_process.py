"""The process that makes a snapshot anew: `python -m spm.gnn.snapshot.renewal_process [STORE]`.

Reading a whole registry from a server takes half a minute at 16,000 tools; in a thread of a service
it would make every menu of that time late.
"""

import os
import sys

from spm.gnn.encoders.by_name import encoder_of
from spm.gnn.snapshot.lifecycle import Snapshots, snapshots_of
from spm.registry.errors import SpmError, StoreLocked
from spm.registry.registry import Registry
from spm.registry.settings import settings
from spm.registry.store.lock import WriterLock

KINDNESS = 10  # who serves comes first
FAILED, NOTHING = 1, 3  # exit codes: it could not be done; it was not needed


def renew(registry: Registry) -> bool:
    """Encode what has no vector, and write the snapshot of this moment.

    Returns:
        Whether it was written; not where there is one, or another process is at it.
    """
    snapshots = snapshots_of(registry)
    lock = WriterLock(snapshots.folder() / "renewing")
    try:
        lock.acquire()
    except StoreLocked:
        return False
    try:
        return _written(registry, snapshots)
    finally:
        lock.release()


def _written(registry: Registry, snapshots: Snapshots) -> bool:
    if snapshots.current() is not None:
        return False
    registry.encode(encoder_of(registry.store))
    return snapshots.current() is None and snapshots.write() is not None


def main() -> None:
    """Renew the snapshot of a store; without an argument, of the one that all commands use."""
    os.nice(KINDNESS)
    try:
        with Registry.open(settings(sys.argv[1] if sys.argv[1:] else None)) as registry:
            code = 0 if renew(registry) else NOTHING
    except SpmError as error:
        print(error, file=sys.stderr)
        code = FAILED
    sys.exit(code)


if __name__ == "__main__":
    main()
