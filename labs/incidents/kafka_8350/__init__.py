"""KAFKA-8350: small messages are never taken, because their batch is too large."""
