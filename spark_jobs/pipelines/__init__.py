"""Structured Streaming queries that are themselves under test."""
