"""Settings as a Python dict literal, one a line."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.catalog import Kind
from advisor.export.choice import Chosen


def literal(name: str, settings: Mapping[str, Chosen]) -> str:
    """`NAME = {…}` by key; switches and numbers are Python's own, the rest is quoted by `repr`."""
    lines = "".join(f"    {key!r}: {_value(each)},\n" for key, each in settings.items())
    return f"{name} = {{\n{lines}}}\n"


def _value(each: Chosen) -> str:
    if each.setting.kind is Kind.BOOL:
        return str(each.text == "true")
    return each.text if each.setting.kind is Kind.INT else repr(each.text)
