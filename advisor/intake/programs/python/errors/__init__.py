"""Error handling of Python programs: the results of sends, of messages and of futures."""
