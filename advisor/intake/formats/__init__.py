"""Grammars that several kinds of files have: YAML, Java's properties, placeholders."""
