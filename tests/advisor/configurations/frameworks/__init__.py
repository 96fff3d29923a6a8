"""Files of frameworks."""
