"""Menus for other programs and for eyes: HTTP, MCP and a page. Builds on gnn and registry."""
