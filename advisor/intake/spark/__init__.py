"""Queries of Spark: their options, and the code around them."""
