"""Menus over the Model Context Protocol: the registry's questions, and one server per menu."""
