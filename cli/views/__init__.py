"""Views of the terminal: console, tables and pictures."""
