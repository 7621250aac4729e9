"""Registries as teams have them, made from a seed: resources, and tools that act on them.

Their words say what they do, but which resources, verbs, roles and services there are is chance.
"""

import random
from typing import Any

from spm.registry.models import Manifest

NOUNS = (
    "ticket", "invoice", "device", "policy", "branch", "shipment", "contract", "playlist", "tenant",
    "webhook", "campaign", "warehouse", "badge", "sensor", "lease", "exam", "recipe", "voucher",
)  # fmt: skip
# Verb of the name, effects, whether it takes the id, whether it gives things.
VERBS = (
    ("list", "read", False, True),
    ("get", "read", True, True),
    ("find", "read", False, True),
    ("create", "write", False, True),
    ("update", "write", True, False),
    ("delete", "destructive", True, False),
    ("purge", "destructive", True, False),
    ("send", "write", True, False),
    ("archive", "write", True, False),
    ("cancel", "destructive", True, False),
)
# Speaks of nothing that the nouns above are about.
UNRELATED = Manifest.model_validate(
    {
        "spm": 1,
        "service": "observatory",
        "tools": [
            {
                "name": "list_telescopes",
                "description": "List the telescopes of the observatory.",
                "effects": "read",
                "outputs": [{"name": "telescope_id"}],
            },
            {
                "name": "find_star",
                "description": "Find a star by its constellation.",
                "effects": "read",
                "inputs": [{"name": "constellation"}],
                "outputs": [{"name": "star_id"}],
            },
            {
                "name": "point_telescope",
                "description": "Point a telescope at a star.",
                "effects": "write",
                "inputs": [{"name": "telescope_id"}, {"name": "star_id"}],
            },
        ],
    }
)


def resource_manifests(seed: int) -> list[Manifest]:
    """Two services with a few resources each, some of which refer to others."""
    chance = random.Random(seed)
    nouns = chance.sample(NOUNS, 7)
    return [_service(chance, "north", nouns[:4]), _service(chance, "south", nouns[4:])]


def _service(chance: random.Random, name: str, nouns: list[str]) -> Manifest:
    tools = [tool for noun in nouns for tool in _tools(chance, noun, nouns)]
    return Manifest.model_validate({"spm": 1, "service": name, "tools": tools})


def _tools(chance: random.Random, noun: str, nouns: list[str]) -> list[dict[str, Any]]:
    other = chance.choice([one for one in nouns if one != noun])
    found = []
    for verb, effects, takes, gives in chance.sample(VERBS, chance.randint(3, 7)):
        inputs: list[dict[str, Any]] = [{"name": f"{noun}_id"}] if takes else []
        if verb in ("create", "update"):
            inputs += [{"name": f"{other}_id"}, {"name": "comment", "required": False}]
        found.append(
            {
                "name": f"{verb}_{noun}{'s' if verb == 'list' else ''}",
                "description": f"{verb.title()} a {noun}.",
                "effects": effects,
                "inputs": inputs,
                "outputs": [{"name": f"{noun}_id"}, {"name": f"{noun}_note"}] if gives else [],
            }
        )
    return found
