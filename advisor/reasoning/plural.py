"""A number with its noun, as a person would say it."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 broker`, `3 brokers`, `2 copies` (with `plural`)."""
    return f"{count:,} {agreed(count, noun, plural or f'{noun}s')}"


def agreed(count: int | None, one: str, many: str) -> str:
    """The words that go with a number: `agreed(1, "effect was", "effects were")`."""
    return one if count == 1 else many


def measured(value: int, unit: str) -> str:
    """`1 broker`, `3 brokers`, `1 ms`: a number with its unit in the plural."""
    return f"{value:,} {unit}" if unit == "ms" else counted(value, unit.removesuffix("s"), unit)
