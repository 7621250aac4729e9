"""An evaluation as one page: tables, pictures, and every request with its menus side by side."""
