"""A whole answer as one document: text for a terminal, SARIF for a code host."""
