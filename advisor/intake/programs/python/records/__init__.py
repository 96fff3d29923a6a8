"""What a Python program calls the messages that it polls, and where it puts them."""
