"""Files with which servers and applications are deployed."""
