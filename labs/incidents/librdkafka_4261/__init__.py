"""librdkafka #4261: messages come again after a change of leader, to a consumer that goes on."""
