"""Error handling of JVM code: whether anything checks for a failed send, record or future."""
