"""Reading other people's tool descriptions and traces into the registry's own models."""
