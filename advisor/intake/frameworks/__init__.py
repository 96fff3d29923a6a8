"""Files of frameworks that create Kafka clients for an application."""
