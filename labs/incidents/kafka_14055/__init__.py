"""KAFKA-14055: the cleaner mistakes a user's key for a commit marker."""
