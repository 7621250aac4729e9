"""Visibility: the caller, the rule that decides which tools it sees, and a filtered store."""
