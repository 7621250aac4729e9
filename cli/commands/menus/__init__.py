"""Commands that build, freeze, compare and check menus."""
