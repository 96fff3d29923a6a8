"""KAFKA-9254: the second change of a log default discards the settings of topics."""
