"""The serving snapshot: all that menus need of one state of a registry, in one mapped file."""
