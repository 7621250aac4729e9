"""`spm tools`: register, list, show, and the life of a tool."""
