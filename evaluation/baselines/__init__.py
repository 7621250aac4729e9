"""What a platform team would use instead: other ways to build a menu."""
