"""KAFKA-7672: a task that comes back to its thread runs on a store that was not restored."""
