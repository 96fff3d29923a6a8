"""Spark queries."""
