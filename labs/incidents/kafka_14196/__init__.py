"""KAFKA-14196: the consumer hands out more after its last commit before a rebalance."""
