"""Text encoders: the packaged MiniLM in numpy, and any sentence-transformers model."""
