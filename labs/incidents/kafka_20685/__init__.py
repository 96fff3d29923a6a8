"""KAFKA-20685: a store keeps writes of a transaction that was aborted."""
