"""Readers of compose files."""
