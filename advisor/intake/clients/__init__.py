"""Files of clients, and which settings of theirs are known."""
