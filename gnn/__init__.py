"""Builds menus: features, two relation-aware Transformers, decoders, snapshot and training."""
