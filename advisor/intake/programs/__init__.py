"""Programs of Kafka's clients, read for what loses or repeats records."""
