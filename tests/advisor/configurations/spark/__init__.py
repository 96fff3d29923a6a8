"""Queries of Spark."""
