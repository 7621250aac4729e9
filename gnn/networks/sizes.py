"""Sizes that the networks, their features and their numpy twin share, without importing torch."""

VECTOR = 64  # dimensions of a text vector that the networks see
WIDTH = 128
HEADS = 4
INNER = 512
LAYERS = 2
RELATIONS = 5
SUMMARIES = 4
