"""What others publish for the same purpose, through their own packages."""
