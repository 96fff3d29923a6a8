"""JVM code as trees of statements that can be played."""
