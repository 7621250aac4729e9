"""The routes of the HTTP service, one module for each group."""
