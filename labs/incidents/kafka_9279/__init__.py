"""KAFKA-9279: a transaction commits although one of its sends failed."""
