"""`spm demo`: load the bundled demo library."""

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, say


def demo(store: StoreOption = None, json: JsonOption = False) -> None:
    """Load the demo: a small shop with nine services, 100 tools and 495 trajectories."""
    from spm.cli.vectors import encode
    from spm.registry import demo as library

    with opened(store, new=True) as registry:
        registry.vectors.encoder()  # without one, nothing should be written
        added = sum(len(registry.register(m).added) for m in library.manifests())
        imported = registry.import_traces(library.trajectories())
        encode(registry)
        status = registry.status()
    if json:
        as_json(status)
        return
    say(
        f"{added} tools added, {imported.imported} trajectories imported; "
        f"now {status['tools']} tools and {status['trajectories']} trajectories "
        f"in {status['store']}"
    )
    say(f'Next: spm menu "{library.REQUEST}"')
