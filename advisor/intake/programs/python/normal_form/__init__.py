"""A normal form of Python programs: one form for code that can be written in several ways."""
