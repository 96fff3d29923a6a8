"""Who hears of an error in JVM code: of a send, of a record, of a future."""
