"""Menus on day one: what orders candidates without traces, fitted and measured by library."""
