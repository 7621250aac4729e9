"""How fast spm is: every bench compares in one run, and says on which machine and how busy."""
