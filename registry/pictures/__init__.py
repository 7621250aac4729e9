"""Graph answers as pictures: drawings, their layout, and the formats they are written in."""
