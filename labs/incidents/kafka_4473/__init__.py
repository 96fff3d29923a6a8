"""KAFKA-4473: Kafka Streams commits its input although an output was refused."""
