"""JVM code as trees of statements for the simulation (`programs.simulation`)."""
