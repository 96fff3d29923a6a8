"""librdkafka #4261: a consumer that continues gets messages again after a change of leader."""
