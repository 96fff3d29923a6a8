"""KAFKA-13598: idempotence is the default, but it is off."""
