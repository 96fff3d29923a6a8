"""One form for what a Python program can write in several."""
