"""The text of a configuration file: its limits, and what is never stored."""

from __future__ import annotations

import re

MAX_BYTES = 1024 * 1024
"""No configuration of a client or broker comes near this size."""

MARK = "\ufeff"
"""The byte order mark that some editors write at the start of a text."""

_SECRET_NAME = re.compile(
    r"password|passwd|passphrase|secret|jaas|credential|token|username|user\.info"
    r"|private|keytab|principal|key\.pem|api\.key|\.key$",
    re.IGNORECASE,
)

_NOT_SECRET_NAMES = frozenset({
    "delegation.token.expiry.check.interval.ms", "delegation.token.expiry.time.ms",
    "delegation.token.max.lifetime.ms", "password.encoder.iterations",
    "password.encoder.key.length",
})  # fmt: skip
"""Settings of brokers for the handling of credentials; they are not credentials."""

_PEM_BLOCK = re.compile(r"-{4,5} ?BEGIN [A-Z0-9 ]+-{4,5}")
"""A header of PEM or SSH2, also one that lost a hyphen when it was copied."""
_MERGE_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?:[ \t]|$)", re.MULTILINE)
_WORD = r"[A-Za-z0-9_\[\]-]{1,40}"
_NAME = re.compile(
    rf"[A-Za-z_-]{{1,40}}|{_WORD}(?:\.{_WORD}){{1,9}}|[A-Z]{{2,20}}(?:_[A-Z]{{1,20}}){{2,12}}"
)
"""A name of a setting or a variable. No setting's name has a longer word, or is a single word with
a digit, as a token is; the name of a variable may be longer."""


_EXTENSIONS = frozenset({
    "cfg", "conf", "env", "ini", "json", "properties", "py", "toml", "txt", "yaml", "yml",
})  # fmt: skip
_ORDINARY_WORDS = frozenset({
    "", "app", "application", "bootstrap", "broker", "brokers", "client", "clients", "cluster",
    "compose", "config", "configs", "configuration", "connect", "consumer", "default", "describe",
    "dev", "docker", "env", "kafka", "local", "override", "prod", "producer", "production", "query",
    "server", "settings", "spark", "staging", "stream", "streams", "strimzi", "test", "topic",
    "topics", "values",
})  # fmt: skip
_SHOWN_CHARACTERS = 3


_NESTED = re.compile(
    r"^['\"]?[A-Za-z][\w.-]{0,80}['\"]?:[ \t]*+[|>]?[+-]?[ \t]*+\r?\n"
    r"(?:[ \t]*+(?:#.*)?\r?\n){0,20}[ \t]++\S"
    r"|^[ \t]*+-[ \t]++['\"]?[A-Za-z][\w.-]{0,80}['\"]?:(?=[ \t\r\n])",
    re.MULTILINE,
)
"""A name alone on its line with something indented below it, or a name after a dash: no properties
file has that. Whitespace is matched possessively (`*+`): otherwise a line of a million spaces takes
hours."""


_SHELL_SCRIPT = re.compile(r"#![^\n]{0,80}sh\b")
_MAPPING = re.compile(r"---|[A-Za-z][\w.-]{0,80}:(?:\s|$)")
_HCL = re.compile(
    r"(?:resource|module|variable|provider|terraform|locals|data|output)\b[ \t\w\"-]{0,200}\{"
)


_LINE_PREFIX = re.compile(r"^Line (\d+): ")


OTHER_CLUSTER = (
    "the settings of one do not apply to the topics of the other. Leave only what belongs to one "
    "cluster"
)
"""The reason why a file with two clusters is not read."""


class IntakeError(ValueError):
    """A file that cannot be read at all; the message says why, with the line if there is one."""


def with_line_feeds(text: str) -> str:
    """Returns the text with Unix line ends; all formats treat them alike."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_text(text: str) -> None:
    """Raises `IntakeError` if the text is longer than `MAX_BYTES`, or contains a private key or an
    open merge conflict."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise IntakeError(f"The file is longer than {MAX_BYTES} bytes; a configuration is not.")
    if match := _PEM_BLOCK.search(text):
        line = line_of(text, match.start())
        raise IntakeError(f"Line {line}: a key or a certificate begins here. Take it out first.")
    if match := _MERGE_CONFLICT.search(text):
        line = line_of(text, match.start())
        raise IntakeError(f"Line {line}: a conflict of a merge is open here. Settle it first.")


def with_lines_shifted(words: str, lines: int) -> str:
    """Returns a message with its line number shifted by so many lines."""
    return _LINE_PREFIX.sub(lambda place: f"Line {int(place[1]) + lines}: ", words)


def short_name(name: str, number: int) -> str:
    """Returns a file's name as it may be shown: in full only if it consists of ordinary words.

    Any other name may be a secret: only its first letters, its extension and the file's number are
    shown.
    """
    stem, dot, extension = name.rpartition(".")
    extension = extension.lower() if dot and extension.lower() in _EXTENSIONS else ""
    words = set(re.split(r"[._-]|[0-9]{1,2}$", stem.lower()))
    if extension and words <= _ORDINARY_WORDS:
        return f"{stem}.{extension}"
    beginning = "".join(char for char in (stem or name)[:_SHOWN_CHARACTERS] if char.isalnum())
    return f"file {number} ({beginning}…{f'.{extension}' if extension else ''})"


def is_secret(key: str) -> bool:
    """Whether the value of this key may be a credential. False positives are preferred."""
    return _SECRET_NAME.search(key) is not None and key not in _NOT_SECRET_NAMES


def shown(key: str) -> str:
    """Returns a key as it may appear in a message: only if it looks like a name.

    A broken file may have part of a password in the place of a key, or control characters.
    """
    return key if _NAME.fullmatch(key) else "a name that is none"


def is_no_program(text: str) -> bool:
    """Whether a text begins like a shell script, YAML or Terraform."""
    lines = (line for line in text.splitlines() if line.strip())
    first = next((line for line in lines if not line.lstrip().startswith(("#", "//"))), "")
    if _SHELL_SCRIPT.match(text) or _HCL.match(first):
        return True
    return _MAPPING.match(first) is not None and yaml_begins(text) > 0


def yaml_begins(text: str) -> int:
    """Returns the first line at which a text nests like YAML; 0 if there is none."""
    match = _NESTED.search(text)
    return line_of(text, match.start()) if match else 0


def line_of(text: str, at: int) -> int:
    """Returns the number of the line of an offset in a text."""
    return text.count("\n", 0, at) + 1
