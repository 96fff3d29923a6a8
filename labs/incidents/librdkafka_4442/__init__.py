"""librdkafka #4442: stored offsets without a leader epoch are not committed."""
