"""librdkafka #5213: an end of partition advances a batch consumer one message too far."""
