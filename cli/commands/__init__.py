"""The commands of `spm`, one module for each noun."""
