"""What JVM code calls the records that it polls, and where it puts them."""
