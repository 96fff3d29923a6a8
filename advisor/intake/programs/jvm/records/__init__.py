"""The records that JVM code polls: the names for them, and the collections that hold them."""
