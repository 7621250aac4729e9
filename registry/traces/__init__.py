"""Traces: reading their formats, leaving out every value, and turning them into counts on edges."""
