"""Baselines: other ways to build a menu."""
