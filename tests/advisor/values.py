"""Values of settings for random pipelines."""

from __future__ import annotations

from advisor.catalog import Kind, Setting

_NUMBERS = (-1, 0, 1, 2, 3, 1000, 40_000, 60_000, 120_000)


def texts(setting: Setting) -> list[str]:
    """Every choice, true and false, or the bounds and common numbers between them."""
    match setting.kind:
        case Kind.BOOL:
            return ["true", "false"]
        case Kind.CHOICE:
            return [text for text, _ in setting.choices]
        case Kind.INT:
            ends = (setting.minimum, setting.maximum, setting.default)
            minimum, maximum = setting.minimum or 0, setting.maximum or 1
            numbers = {
                n for n in (*ends, *_NUMBERS) if isinstance(n, int) and minimum <= n <= maximum
            }
            return [str(n) for n in sorted(numbers)]
        case Kind.TEXT:
            return ["orders-1"]
