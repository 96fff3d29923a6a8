"""Programs of Python with confluent-kafka."""
