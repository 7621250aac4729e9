"""What holds for any registry, and checks that look whether it does for one."""
