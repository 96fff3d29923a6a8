"""Typed settings from the environment; an invalid value is refused with the variable's name.

An empty variable counts as absent, because that is what `VARIABLE=` in a compose file means.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")


def text(name: str, default: str) -> str:
    """The variable, stripped, or `default`."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, *, default: bool) -> bool:
    """A yes or no. Raises `ImproperlyConfigured` for anything else."""
    value = text(name, "").lower()
    if not value:
        return default
    if value in _TRUE | _FALSE:
        return value in _TRUE
    raise ImproperlyConfigured(f"{name} must be yes or no, not {value!r}.")


def integer(name: str, default: Callable[[], int], *, least: int, most: int) -> int:
    """A whole number within bounds, both included. Raises `ImproperlyConfigured` otherwise."""
    value = text(name, "")
    if not value:
        return default()
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from None
    if not least <= number <= most:
        raise ImproperlyConfigured(f"{name} must be between {least} and {most}, not {number}.")
    return number


def folder(name: str, default: Path) -> Path:
    """An absolute folder; it need not exist. Raises `ImproperlyConfigured` if a file is there."""
    path = Path(text(name, str(default))).expanduser().absolute()
    if path.exists() and not path.is_dir():
        raise ImproperlyConfigured(f"{name} must be a folder, and {path} is not one.")
    return path


def words(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """A list separated by commas or spaces."""
    return text(name, " ".join(default)).replace(",", " ").split()


def networks(name: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Addresses or networks. Raises `ImproperlyConfigured` for a word that is neither."""
    try:
        return [ipaddress.ip_network(word) for word in words(name)]
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be addresses or networks: {error}.") from None


def password(name: str, least: int) -> str:
    """A password, or "". Raises `ImproperlyConfigured`, without repeating it, if it is short."""
    value = text(name, "")
    if value and len(value) < least:
        raise ImproperlyConfigured(f"{name} must have at least {least} characters.")
    return value


def pairs(name: str) -> dict[str, str]:
    """Words `key=value` separated by spaces. Raises `ImproperlyConfigured` for any other."""
    results = {}
    for word in text(name, "").split():
        key, parted, value = word.partition("=")
        if not (parted and value and _KEY.fullmatch(key)):
            # The word may hold more than a name should: it is not repeated.
            message = "must be words key=value, the keys of letters, digits, dots and dashes"
            raise ImproperlyConfigured(f"{name} {message}.")
        results[key] = value
    return results


def address(name: str, schemes: tuple[str, ...], default: str) -> str:
    """An address whose scheme is one of `schemes`. Raises `ImproperlyConfigured` otherwise."""
    value = text(name, default)
    if value.partition("://")[0] not in schemes:
        # The value may hold a password: it is not repeated.
        raise ImproperlyConfigured(f"{name} must begin with one of {', '.join(schemes)} and ://.")
    return value
