"""The text of a configuration file: how much of it is read, and what is never kept."""

from __future__ import annotations

import re

MAX_BYTES = 1024 * 1024
"""No client's or broker's configuration is near this; what is longer is something else."""

MARK = "\ufeff"
"""The byte order mark that some editors put before a text."""

_SECRET = re.compile(
    r"password|passwd|passphrase|secret|jaas|credential|token|username|user\.info"
    r"|private|keytab|principal|key\.pem|api\.key|\.key$",
    re.IGNORECASE,
)

_ABOUT_SECRETS = frozenset({
    "delegation.token.expiry.check.interval.ms", "delegation.token.expiry.time.ms",
    "delegation.token.max.lifetime.ms", "password.encoder.iterations",
    "password.encoder.key.length",
})  # fmt: skip
"""Numbers of brokers that say how credentials are kept: they are not credentials."""

_BLOCK = re.compile(r"-{4,5} ?BEGIN [A-Z0-9 ]+-{4,5}")
"""Of PEM, of SSH2, and what was copied without one of its hyphens."""
_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?:[ \t]|$)", re.MULTILINE)
_WORD = r"[A-Za-z0-9_\[\]-]{1,40}"
_NAME = re.compile(
    rf"[A-Za-z_-]{{1,40}}|{_WORD}(?:\.{_WORD}){{1,9}}|[A-Z]{{2,20}}(?:_[A-Z]{{1,20}}){{2,12}}"
)
"""No setting's name has a longer word, nor is it one word with a digit in it: tokens are. A
variable may be longer."""


_ENDINGS = frozenset({
    "cfg", "conf", "env", "ini", "json", "properties", "py", "toml", "txt", "yaml", "yml",
})  # fmt: skip
_ORDINARY = frozenset({
    "", "app", "application", "bootstrap", "broker", "brokers", "client", "clients", "cluster",
    "compose", "config", "configs", "configuration", "connect", "consumer", "default", "describe",
    "dev", "docker", "env", "kafka", "local", "override", "prod", "producer", "production", "query",
    "server", "settings", "spark", "staging", "stream", "streams", "strimzi", "test", "topic",
    "topics", "values",
})  # fmt: skip
_SHOWN_OF_A_NAME = 3


_NESTED = re.compile(
    r"^['\"]?[A-Za-z][\w.-]{0,80}['\"]?:[ \t]*+[|>]?[+-]?[ \t]*+\r?\n"
    r"(?:[ \t]*+(?:#.*)?\r?\n){0,20}[ \t]++\S"
    r"|^[ \t]*+-[ \t]++['\"]?[A-Za-z][\w.-]{0,80}['\"]?:(?=[ \t\r\n])",
    re.MULTILINE,
)
"""A name alone on its line, and something indented below it, or a name behind a dash: no properties
file has that. Blanks are taken once (`*+`), or a line of a million of them takes hours."""


_SHELL = re.compile(r"#![^\n]{0,80}sh\b")
_MAPPING = re.compile(r"---|[A-Za-z][\w.-]{0,80}:(?:\s|$)")
_HCL = re.compile(
    r"(?:resource|module|variable|provider|terraform|locals|data|output)\b[ \t\w\"-]{0,200}\{"
)


_PLACE = re.compile(r"^Line (\d+): ")


OTHER_CLUSTER = (
    "the settings of one say nothing of the other's topics. Leave only what belongs to one cluster"
)
"""Why a file with two clusters is not read."""


class IntakeError(ValueError):
    """A file that cannot be read at all; the message says why, with the line if there is one."""


def with_line_feeds(text: str) -> str:
    """The text with its lines ended as Unix ends them, which is what all formats mean."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_text(text: str) -> None:
    """Raises `IntakeError` if the text is longer than `MAX_BYTES`, or holds a private key."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise IntakeError(f"The file is longer than {MAX_BYTES} bytes; a configuration is not.")
    if match := _BLOCK.search(text):
        line = line_of(text, match.start())
        raise IntakeError(f"Line {line}: a key or a certificate begins here. Take it out first.")
    if match := _CONFLICT.search(text):
        line = line_of(text, match.start())
        raise IntakeError(f"Line {line}: a conflict of a merge is open here. Settle it first.")


def further_down(words: str, lines: int) -> str:
    """A message of a text that begins below so many lines."""
    return _PLACE.sub(lambda place: f"Line {int(place[1]) + lines}: ", words)


def short_name(name: str, number: int) -> str:
    """A file's name as it may be shown: whole only if it is made of ordinary words.

    Of any other, which may be a secret, its first letters, its ending and the file's number stay.
    """
    stem, dot, ending = name.rpartition(".")
    ending = ending.lower() if dot and ending.lower() in _ENDINGS else ""
    words = set(re.split(r"[._-]|[0-9]{1,2}$", stem.lower()))
    if ending and words <= _ORDINARY:
        return f"{stem}.{ending}"
    begins = "".join(char for char in (stem or name)[:_SHOWN_OF_A_NAME] if char.isalnum())
    return f"file {number} ({begins}…{f'.{ending}' if ending else ''})"


def is_secret(key: str) -> bool:
    """Whether the value under this key may be a credential. Rather too often than once too few."""
    return _SECRET.search(key) is not None and key not in _ABOUT_SECRETS


def shown(key: str) -> str:
    """A key as it may stand in a message: only if it looks like a name.

    A broken file may have half a password in a key's place, or something that moves the cursor.
    """
    return key if _NAME.fullmatch(key) else "a name that is none"


def is_no_program(text: str) -> bool:
    """Whether a text begins as a script of a shell, YAML or Terraform does."""
    lines = (line for line in text.splitlines() if line.strip())
    first = next((line for line in lines if not line.lstrip().startswith(("#", "//"))), "")
    if _SHELL.match(text) or _HCL.match(first):
        return True
    return _MAPPING.match(first) is not None and yaml_begins(text) > 0


def yaml_begins(text: str) -> int:
    """The line at which a text nests as YAML does; 0 if it does not."""
    match = _NESTED.search(text)
    return line_of(text, match.start()) if match else 0


def line_of(text: str, at: int) -> int:
    """The number of the line that a place in a text is in."""
    return text.count("\n", 0, at) + 1
