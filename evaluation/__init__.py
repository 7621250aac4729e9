"""Measuring menus on requests whose paths are known. Builds on gnn and registry."""
