"""Settings for librdkafka as JSON, for clients in any language that take an object.

JSON has no comments; the stamp is an object next to the settings.
"""

from __future__ import annotations

import json

from advisor.catalog import Component, Family
from advisor.export.base import Export, Revision, Stamp
from advisor.export.choice import chosen, code_notes, file_notes, typed
from advisor.reasoning.pipeline import Pipeline


def _write(revision: Revision, stamp: Stamp) -> str:
    both = (Component.PRODUCER, Component.CONSUMER)
    notes = [*code_notes(revision.exported, *both), *file_notes(revision, *both)]
    made_by = {
        "made_by": "Delivery Lab", "rules": stamp.rules_version, "client": stamp.client,
        "kafka": stamp.kafka, "reasons": stamp.permalink, "notes": notes,
    }  # fmt: skip
    settings = {
        str(component): {setting.name: typed(setting) for setting in chosen(revision, component)}
        for component in both
    }
    return json.dumps({"about": made_by, **settings}, indent=2) + "\n"


def _applies(pipeline: Pipeline) -> bool:
    return pipeline.family is Family.LIBRDKAFKA


EXPORTS = (
    Export(
        "librdkafka-json", "librdkafka JSON", "librdkafka.json", "application/json",
        _applies, _write,
    ),
)  # fmt: skip
