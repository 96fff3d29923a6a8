"""KAFKA-14196: the consumer delivers more after its last commit before a rebalance."""
