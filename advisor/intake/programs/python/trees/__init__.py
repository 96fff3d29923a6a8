"""Python programs as trees of statements that can be played."""
