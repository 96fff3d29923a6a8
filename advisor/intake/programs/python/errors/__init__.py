"""Who hears of an error in a Python program: of a send, of a message, of a future."""
