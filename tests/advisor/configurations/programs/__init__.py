"""Programs of Kafka's clients."""
