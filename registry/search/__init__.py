"""Search by words and by meaning: BM25, the search of each engine, and what a search returns."""
