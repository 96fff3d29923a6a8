"""A fragment of `server.properties`: what the brokers were told, for every one of them."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.export.base import Export, Stamp, comment, head
from advisor.export.choice import Chosen, chosen
from advisor.export.java_properties import escape
from advisor.reasoning.pipeline import Pipeline

_NOTE = (
    "Put these lines into the file of every broker and every controller, and restart them one by "
    "one."
)


def _render(pipeline: Pipeline, stamp: Stamp) -> str:
    settings = chosen(pipeline, Component.BROKER)
    parts = [head("Settings of the brokers.", stamp, _NOTE)]
    return "".join([*parts, *(_line(each) for each in settings)])


def _line(each: Chosen) -> str:
    return f"\n{comment(each.setting.meaning)}{each.name}={escape(each.text)}\n"


def _applies(pipeline: Pipeline) -> bool:
    return bool(pipeline.stated(Component.BROKER))


EXPORTS = (
    Export(
        "server-properties", "Broker settings", "server.properties", "text/plain",
        _applies, _render,
    ),
)  # fmt: skip
