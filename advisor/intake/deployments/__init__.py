"""Files that brokers and applications are deployed by."""
