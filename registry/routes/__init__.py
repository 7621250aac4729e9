"""Routes without traces: the targets of a request, and what has to run before them."""
