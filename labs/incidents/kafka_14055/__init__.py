"""KAFKA-14055: the cleaner takes a user's key for a commit marker."""
