"""`producer.properties` and `consumer.properties` for the Java client."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.export.base import Export, Revision, Stamp, comment, head
from advisor.export.choice import Chosen, chosen, code_notes, file_notes
from advisor.reasoning.pipeline import Pipeline


def escape(text: str) -> str:
    """Returns a value as `java.util.Properties.load` reads it back, ASCII only.

    Today, no value that the catalog accepts needs it.
    """
    out = []
    for at, char in enumerate(text):
        if char == "\\" or (char == " " and at == 0):
            out.append("\\" + char)
        elif " " <= char <= "~":
            out.append(char)
        else:
            units = char.encode("utf-16-be")
            pairs = (units[i : i + 2].hex() for i in range(0, len(units), 2))
            out.extend(f"\\u{pair}" for pair in pairs)
    return "".join(out)


def _write(revision: Revision, stamp: Stamp, component: Component) -> str:
    title = f"{component.capitalize()} settings for the Java client."
    settings, notes = chosen(revision, component), file_notes(revision, component)
    parts = [head(title, stamp, *code_notes(revision.exported, component), *notes)]
    parts += [line(setting, setting.name) for setting in settings if setting.stated]
    in_force = [line(setting, setting.name) for setting in settings if not setting.stated]
    if in_force:
        words = "In force already, and written down because the guarantee rests on it:"
        parts += ["\n", comment(words), *in_force]
    return "".join(parts)


def line(setting: Chosen, key: str) -> str:
    """Returns one setting under its key in the file, after a comment with its meaning."""
    return f"\n{comment(setting.setting.meaning)}{key}={escape(setting.text)}\n"


def _producer(revision: Revision, stamp: Stamp) -> str:
    return _write(revision, stamp, Component.PRODUCER)


def _consumer(revision: Revision, stamp: Stamp) -> str:
    return _write(revision, stamp, Component.CONSUMER)


def _applies(pipeline: Pipeline) -> bool:
    return pipeline.family is Family.JAVA


EXPORTS = (
    Export(
        "java-producer", "Java producer", "producer.properties", "text/plain", _applies, _producer
    ),
    Export(
        "java-consumer", "Java consumer", "consumer.properties", "text/plain", _applies, _consumer
    ),
)
