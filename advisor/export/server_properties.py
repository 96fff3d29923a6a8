"""A fragment of `server.properties`: the changes for the brokers, for the file of every broker."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.export.base import Export, Revision, Stamp, comment, head
from advisor.export.choice import Chosen, added, file_notes
from advisor.export.java_properties import escape
from advisor.reasoning.pipeline import Pipeline

_NOTE = (
    "Put these lines into the file of every broker and every controller, and restart them one by "
    "one."
)


def _write(revision: Revision, stamp: Stamp) -> str:
    settings, notes = added(revision, Component.BROKER), file_notes(revision, Component.BROKER)
    parts = [head("Settings of the brokers.", stamp, _NOTE, *notes)]
    return "".join([*parts, *(_line(setting) for setting in settings)])


def _line(setting: Chosen) -> str:
    return f"\n{comment(setting.setting.meaning)}{setting.name}={escape(setting.text)}\n"


def states_brokers(pipeline: Pipeline) -> bool:
    """Whether the pipeline has settings of brokers."""
    return bool(pipeline.stated(Component.BROKER))


def changes_brokers(revision: Revision) -> bool:
    """Whether a setting of the brokers differs from the described one."""
    return bool(added(revision, Component.BROKER))


EXPORTS = (
    Export(
        "server-properties", "Broker settings", "server.properties", "text/plain",
        states_brokers, _write, changes_brokers,
    ),
)  # fmt: skip
