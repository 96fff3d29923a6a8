"""A shell script of Kafka's own commands for the topic, and for defaults of the brokers."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from advisor.catalog import Component
from advisor.export.base import Export, Revision, Stamp, always, comment, head
from advisor.export.choice import Chosen, added, changes_copies, chosen, file_notes

DYNAMIC = frozenset(
    {
        "min.insync.replicas",
        "unclean.leader.election.enable",
        "producer.id.expiration.ms",
        "transaction.partition.verification.enable",
    }
)
"""Settings that a running broker accepts (DynamicBrokerConfig); others belong in its file."""

_REPLICAS = "replication.factor"
_OFFSETS_LEAST = "offsets.topic.min.insync.replicas"
_SERVERS = '--bootstrap-server "$BOOTSTRAP_SERVERS"'

_START = """
# Kafka's commands must be on the PATH; BOOTSTRAP_SERVERS and TOPIC say where and what.
set -eu
: "${BOOTSTRAP_SERVERS:?such as broker1:9092,broker2:9092}"

"""

_NO_MOVE = "This does not change the number of copies: see kafka-topics.sh --describe."
_PLANNED = "reassign.sh adds copies to a topic that exists."
_IN_FILE = (
    "The next lines cannot be changed while a broker runs: put them into the properties file of "
    "every broker and controller, and restart them one by one."
)


def _write(revision: Revision, stamp: Stamp) -> str:
    usage = "Usage: sh topic.sh create | alter | brokers | offsets"
    title = head("Commands for the topic and the brokers.", stamp, usage)
    comments = [comment(note) for note in file_notes(revision, Component.BROKER)]
    return "".join([
        "#!/bin/sh\n", title, *map(comment, file_notes(revision, Component.TOPIC)), _START,
        'case "${1:-}" in\n',
        *_branch("create", _create(chosen(revision, Component.TOPIC))),
        *_branch("alter", _alter(revision)),
        *_branch("brokers", [*comments, *_brokers(added(revision, Component.BROKER))]),
        *_branch("offsets", _offsets(revision)),
        f'*)\n  echo {shlex.quote(usage)} >&2\n  exit 2\n  ;;\nesac\n',
    ])  # fmt: skip


def _branch(name: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"{name})\n"
    yield from (f"  {line}\n" for text in lines for line in text.splitlines())
    yield "  ;;\n"


def _create(settings: tuple[Chosen, ...]) -> Iterator[str]:
    copies = next(setting.text for setting in settings if setting.name == _REPLICAS)
    yield ': "${TOPIC:?the name of the topic}" "${PARTITIONS:?how many partitions}"'
    command = f"kafka-topics.sh {_SERVERS} --create"
    where = (
        f'--topic "$TOPIC" --partitions "$PARTITIONS" --replication-factor {shlex.quote(copies)}'
    )
    configs = [
        f"--config {shlex.quote(f'{setting.name}={setting.text}')}"
        for setting in settings
        if setting.name != _REPLICAS
    ]
    yield " \\\n  ".join([command, where, *configs])


def _alter(revision: Revision) -> Iterator[str]:
    yield ': "${TOPIC:?the name of the topic}"'
    yield comment(_NO_MOVE)
    if changes_copies(revision):
        yield comment(_PLANNED)
    entity = '--alter --entity-type topics --entity-name "$TOPIC"'
    configs = [setting for setting in added(revision, Component.TOPIC) if setting.name != _REPLICAS]
    yield _configs(entity, configs) if configs else "echo 'There is nothing to alter.'"


def _brokers(settings: tuple[Chosen, ...]) -> Iterator[str]:
    dynamic = [setting for setting in settings if setting.name in DYNAMIC]
    static = [setting for setting in settings if setting.name not in DYNAMIC]
    if dynamic:
        yield _configs("--alter --entity-type brokers --entity-default", dynamic)
    if static:
        yield comment(_IN_FILE)
        yield from (f"# {setting.name}={setting.text}" for setting in static)
    if not dynamic:
        yield "echo 'There is nothing to change while the brokers run.'"


def _offsets(revision: Revision) -> Iterator[str]:
    """Yields the command for min.insync.replicas of the offsets topic, if the revision changes
    it."""
    if not revision.changes(Component.APPLICATION, _OFFSETS_LEAST):
        yield "echo 'There is nothing to change in __consumer_offsets.'"
        return
    least = revision.exported.number(Component.APPLICATION, _OFFSETS_LEAST)
    entity = "--alter --entity-type topics --entity-name __consumer_offsets"
    yield comment("First check that every replica is in sync: kafka-topics.sh --describe.")
    yield f"kafka-configs.sh {_SERVERS} {entity} \\\n  --add-config min.insync.replicas={least}"


def _configs(entity: str, settings: Iterable[Chosen]) -> str:
    # A value with a comma is put in brackets, or kafka-configs.sh would take it for two.
    pairs = (
        f"{setting.name}=[{setting.text}]"
        if "," in setting.text
        else f"{setting.name}={setting.text}"
        for setting in settings
    )
    return f"kafka-configs.sh {_SERVERS} {entity} \\\n  --add-config {shlex.quote(','.join(pairs))}"


EXPORTS = (
    Export("kafka-commands", "Topic commands", "topic.sh", "text/x-shellscript", always, _write),
)
