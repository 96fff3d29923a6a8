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
    """Returns the variable, stripped, or `default`."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, *, default: bool) -> bool:
    """Returns a yes or no. Raises `ImproperlyConfigured` for anything else."""
    value = text(name, "").lower()
    if not value:
        return default
    if value in _TRUE | _FALSE:
        return value in _TRUE
    raise ImproperlyConfigured(f"{name} must be yes or no, not {value!r}.")


def integer(name: str, default: Callable[[], int], *, least: int, most: int) -> int:
    """Returns a whole number within inclusive bounds. Raises `ImproperlyConfigured` otherwise."""
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
    """Returns an absolute folder, which may not exist. Raises `ImproperlyConfigured` for a file."""
    path = Path(text(name, str(default))).expanduser().absolute()
    if path.exists() and not path.is_dir():
        raise ImproperlyConfigured(f"{name} must be a folder, and {path} is not one.")
    return path


def words(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """Returns a list of words, separated by commas or spaces."""
    return text(name, " ".join(default)).replace(",", " ").split()


def networks(name: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Returns addresses and networks. Raises `ImproperlyConfigured` for other words."""
    try:
        return [ipaddress.ip_network(word) for word in words(name)]
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be addresses or networks: {error}.") from None


def password(name: str, least: int) -> str:
    """Returns a password, or "". Raises `ImproperlyConfigured`, without it, if it is too short."""
    value = text(name, "")
    if value and len(value) < least:
        raise ImproperlyConfigured(f"{name} must have at least {least} characters.")
    return value


def pairs(name: str) -> dict[str, str]:
    """Returns pairs `key=value`, separated by spaces. Raises `ImproperlyConfigured` otherwise."""
    results = {}
    for word in text(name, "").split():
        key, separator, value = word.partition("=")
        if not (separator and value and _KEY.fullmatch(key)):
            # The word may contain a secret: it is not repeated.
            message = "must be words key=value, the keys of letters, digits, dots and dashes"
            raise ImproperlyConfigured(f"{name} {message}.")
        results[key] = value
    return results


def address(name: str, schemes: tuple[str, ...], default: str) -> str:
    """Returns an address with one of these schemes. Raises `ImproperlyConfigured` otherwise."""
    value = text(name, default)
    if value.partition("://")[0] not in schemes:
        # The value may contain a password: it is not repeated.
        raise ImproperlyConfigured(f"{name} must begin with one of {', '.join(schemes)} and ://.")
    return value
