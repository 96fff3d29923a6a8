"""librdkafka #5213: an end of partition moves a batch consumer one message too far."""
