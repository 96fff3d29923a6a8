"""KAFKA-7672: a task that returns to its thread runs on a store that was not restored."""
