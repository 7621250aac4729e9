"""The queries of spm: one documented `.cypher` file each, checked when it is loaded."""

from spm.cypher.loader import Query, QueryFileError, load, names, parse

__all__ = ["Query", "QueryFileError", "load", "names", "parse"]
