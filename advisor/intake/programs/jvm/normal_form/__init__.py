"""Rewrites Java, Kotlin and Scala programs into one normal form for the readers."""
