"""Questions about the graph: paths, impact, health, browsing and name search."""
