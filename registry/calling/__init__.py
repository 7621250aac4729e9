"""Calling tools: what is checked before, who answers, and what a model reads afterwards."""
