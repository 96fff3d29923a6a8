"""Files of frameworks that make Kafka's clients for an application."""
