"""KAFKA-3919: after a power cut replicas hold different messages at one offset."""
