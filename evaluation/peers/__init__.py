"""Peers: published packages with the same purpose."""
