"""What JVM code does with the records that it polls."""
