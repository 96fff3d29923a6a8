"""How a Python program processes the messages that it polls."""
