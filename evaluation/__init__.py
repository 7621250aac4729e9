"""Measuring: generated libraries for speed, public data for quality. Builds on gnn and registry."""
