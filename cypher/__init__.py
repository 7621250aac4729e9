"""The queries of spm: documented `.cypher` files by topic, checked when they are loaded."""

from spm.cypher.loader import Query, QueryFileError, load, names

__all__ = ["Query", "QueryFileError", "load", "names"]
