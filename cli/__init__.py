"""The command line: a thin skin over `spm.registry` and `spm.gnn`."""
