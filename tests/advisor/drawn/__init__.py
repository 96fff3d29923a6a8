"""Programs with a poll loop that are drawn, and of which it is known whether they lose messages."""
