"""KAFKA-6361: after two leader changes a follower keeps what its leader never had."""
