"""A registry as arrays: search and expansion of the frontier without a database."""
