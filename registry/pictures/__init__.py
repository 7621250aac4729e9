"""Graph answers as pictures: what to draw, where to put it, and how to write it down."""
