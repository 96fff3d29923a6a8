"""KAFKA-13598: idempotence is the default, and is off in spite of it."""
