"""Around every request: authentication, bounded bodies, the access log."""
