"""Settings of servers, topics and clients."""
