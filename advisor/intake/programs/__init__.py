"""Programs with Kafka's clients, read for statements that lose or repeat records."""
