"""Formats a number with its noun."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """Returns `1 broker`, `3 brokers`, `2 copies` (with `plural`)."""
    return f"{count:,} {agreed(count, noun, plural or f'{noun}s')}"


def agreed(count: int | None, one: str, many: str) -> str:
    """Returns the form that agrees with a number: `agreed(1, "effect was", "effects were")`."""
    return one if count == 1 else many


def measured(value: int, unit: str) -> str:
    """Returns `1 broker`, `3 brokers`, `1 ms`; `unit` is in the plural."""
    return f"{value:,} {unit}" if unit == "ms" else counted(value, unit.removesuffix("s"), unit)
