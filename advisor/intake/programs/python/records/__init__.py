"""The messages that a Python program polls: their names, and the buffers that hold them."""
