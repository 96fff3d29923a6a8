"""What a Python program does with the messages that it polls."""
