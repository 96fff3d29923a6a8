"""KAFKA-8350: small messages are never accepted, because their batch is too large."""
