"""KAFKA-9254: the second change of a log default wipes what topics set themselves."""
