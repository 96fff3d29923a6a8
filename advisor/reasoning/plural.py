"""A number with its noun, as a person would say it."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 broker`, `3 brokers`, `2 copies` (with `plural`)."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
