"""KAFKA-19479: flush() does not wait for batches that were split."""
