"""How JVM code processes the records that it polls."""
