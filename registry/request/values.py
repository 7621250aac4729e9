"""What a request gives by the schemas at hand: its values, and the inputs that they are for."""

from spm.registry.request.input_nouns import Input
from spm.registry.request.value_assignment import Match, assign, matches
from spm.registry.request.value_reader import Value, read_values

__all__ = ["Input", "Match", "Value", "assign", "matches", "read_values"]
