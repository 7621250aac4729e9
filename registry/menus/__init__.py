"""Menus after they were built: definitions for providers, budgets, locks, golden requests."""
