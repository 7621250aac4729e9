"""Calling tools: argument checks, backends, and the observation that a model reads."""
