"""What Kafka's parts do under a pipeline's settings: replicas, a producer's session, a group."""
