"""The settings of a librdkafka, from the table of properties that it prints.

`rd_kafka_conf_properties_show` writes the source of CONFIGURATION.md: name, client (producer,
consumer or both), range, default, importance, type, and aliases. Only these facts are used, not the
descriptions.
"""

from __future__ import annotations

import re
import sys
import tempfile
from ctypes import CDLL, c_char_p, c_void_p
from pathlib import Path

from advisor.catalog.facts import Raw

_ROW = re.compile(
    r"(?P<name>[\w.]+) +\| +(?P<client>[*CP]) +\| (?P<range>.*?) +\| +(?P<default>.*?) +"
    r"\| (?P<importance>\w+) +\| (?P<words>.*)"
)
_ALIAS = re.compile(r"(?:\*\*DEPRECATED\*\* )?Alias for `([\w.]+)`")
_TYPE = re.compile(r"<br>\*Type: ([^*]+)\*\s*$")
_TYPES = {
    "integer": "int", "float": "double", "boolean": "boolean", "string": "string",
    "enum value": "string", "CSV flags": "list", "pattern list": "list",
    "see dedicated API": "callback",
}  # fmt: skip
_CLIENTS = {"P": "producer", "C": "consumer"}


def bundled(package: Path) -> Path:
    """The librdkafka library in a folder where confluent-kafka is installed or unpacked."""
    return next((package / "confluent_kafka.libs").glob("librdkafka*"))


def version(library: CDLL) -> str:
    """The version of a librdkafka, such as `2.16.0`."""
    library.rd_kafka_version_str.restype = c_char_p
    return str(library.rd_kafka_version_str().decode())


def table(library: CDLL) -> str:
    """The table of properties that a librdkafka prints, in Markdown."""
    libc = CDLL(None)
    libc.fopen.argtypes, libc.fopen.restype = [c_char_p, c_char_p], c_void_p
    libc.fclose.argtypes = [c_void_p]
    library.rd_kafka_conf_properties_show.argtypes = [c_void_p]
    library.rd_kafka_conf_properties_show.restype = None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "properties.md"
        file = libc.fopen(bytes(path), b"w")
        library.rd_kafka_conf_properties_show(file)
        libc.fclose(file)
        return path.read_text("utf-8")


def settings(table: str) -> dict[str, Raw]:
    """The facts of every setting in the table, by name.

    A name that is both a global and a topic property is the global one, which is what
    `rd_kafka_conf_set` sets (rdkafka_conf.h, "the topic configuration is the fallback").
    """
    results: dict[str, Raw] = {}
    for line in table.splitlines():
        if (row := _ROW.fullmatch(line.rstrip())) and row["name"] not in results:
            results[row["name"]] = _facts(row)
    return results


def _facts(row: re.Match[str]) -> Raw:
    words = row["words"]
    type_ = _TYPE.search(words)
    kind = _TYPES[type_[1].strip()] if type_ else "string"
    facts: Raw = {"type": kind}
    if (default := _default(kind, row["default"])) is not None:
        facts["default"] = default
    facts |= _range(kind, row["range"].strip())
    facts["importance"] = row["importance"]
    if row["client"] in _CLIENTS:
        facts["client"] = _CLIENTS[row["client"]]
    if alias := _ALIAS.match(words):
        facts["alias"] = alias[1]
    if "**DEPRECATED**" in words:
        facts["deprecated"] = True
    return facts


def _default(kind: str, text: str) -> str | int | float | bool | None:
    if text == "":
        return None
    if kind == "boolean":
        return text == "true"
    if kind == "int":
        return int(text)
    return float(text) if kind == "double" else text


def _range(kind: str, text: str) -> Raw:
    if kind == "boolean" or not text:
        return {}
    if kind in ("int", "double"):
        low, _, high = text.partition(" .. ")
        return {"min": int(low), "max": int(high)}
    return {"items" if kind == "list" else "one_of": text.split(", ")}


if __name__ == "__main__":
    library = CDLL(sys.argv[1])
    sys.stdout.write(f"{version(library)}\n{table(library)}")
