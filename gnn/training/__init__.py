"""Training: examples from trajectories, losses, the loop, and selection on a development split."""
