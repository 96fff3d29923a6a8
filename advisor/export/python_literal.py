"""Settings as a Python dict literal, one a line."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.export.choice import Chosen, typed


def literal(name: str, settings: Mapping[str, Chosen]) -> str:
    """Returns `NAME = {…}` by key; booleans and numbers are Python literals, the rest uses
    `repr`."""
    lines = "".join(f"    {key!r}: {typed(setting)!r},\n" for key, setting in settings.items())
    return f"{name} = {{\n{lines}}}\n"
