"""A shell script that plans more copies for a topic that exists, and carries the plan out.

`kafka-topics.sh --alter` cannot change the number of copies; `kafka-reassign-partitions.sh` can, by
a file that names the brokers of each partition (KIP-455; Kafka's operations guide, "Increasing
replication factor"). Only the cluster knows them, so the script asks it.
"""

from __future__ import annotations

import shlex

from advisor.catalog import Component
from advisor.export.base import Export, Revision, Stamp, always, head
from advisor.export.choice import changes_copies, chosen

_REPLICAS = "replication.factor"
_NOTES = (
    "Usage: sh reassign.sh plan | execute | verify, in this order; verify until it says complete.",
    "plan writes reassignment.json and changes nothing. Read it: every copy that is there stays, "
    "with its leader; new ones go to the brokers of BROKERS in turn, without regard to racks.",
    "execute prints the assignment before it: keep that, to be able to go back.",
    "THROTTLE, in bytes a second, slows the copying down; verify removes that limit.",
)

# Each line of `--describe` is fields divided by tabs, "Name: value". A partition whose first new
# broker is chosen by its own number spreads the copies without counting them.
_PROGRAM = r"""
BEGIN { FS = "\t"; known = split(brokers, broker, ",") }
{ delete field
  for (i = 1; i <= NF; i++) {
    at = index($i, ": ")
    if (at) field[substr($i, 1, at - 1)] = substr($i, at + 2)
  }
  if (field["Topic"] != topic || !("Partition" in field)) next
  partition = field["Partition"]; list = field["Replicas"]; gsub(/[^0-9,]/, "", list)
  copies = split(list, have, ",")
  delete taken; for (i = 1; i <= copies; i++) taken[have[i]] = 1
  for (i = 0; i < known && copies < wanted; i++) {
    id = broker[(partition + i) % known + 1]
    if (!(id in taken)) { list = list "," id; taken[id] = 1; copies++ }
  }
  if (copies < wanted) {
    print "Too few brokers for partition " partition > "/dev/stderr"; bad = 1
  }
  form = "{\"topic\": \"%s\", \"partition\": %d, \"replicas\": [%s]}"
  lines = lines (count++ ? ",\n" : "") sprintf(form, topic, partition, list)
}
END {
  if (!count) print "There is no topic " topic > "/dev/stderr"
  if (!count || bad) exit 1
  printf "{\"version\": 1, \"partitions\": [\n%s\n]}\n", lines
}
"""

_SCRIPT = """
# Kafka's commands must be on the PATH; BOOTSTRAP_SERVERS and TOPIC say where and what.
set -eu
: "${{BOOTSTRAP_SERVERS:?such as broker1:9092,broker2:9092}}"
COPIES={copies}
PLAN=reassignment.json

reassign() {{
  kafka-reassign-partitions.sh --bootstrap-server "$BOOTSTRAP_SERVERS" \\
    --reassignment-json-file "$PLAN" "$@"
}}

case "${{1:-}}" in
plan)
  : "${{TOPIC:?the name of the topic}}" "${{BROKERS:?the ids of all brokers, such as 1,2,3}}"
  described=$(kafka-topics.sh --bootstrap-server "$BOOTSTRAP_SERVERS" --describe --topic "$TOPIC")
  printf '%s\\n' "$described" |
    awk -v topic="$TOPIC" -v brokers="$BROKERS" -v wanted="$COPIES" {program} >"$PLAN.new"
  mv "$PLAN.new" "$PLAN"
  cat "$PLAN"
  ;;
execute)
  reassign ${{THROTTLE:+--throttle "$THROTTLE"}} --execute
  ;;
verify)
  reassign --verify
  ;;
*)
  echo 'Usage: sh reassign.sh plan | execute | verify' >&2
  exit 2
  ;;
esac
"""


def _write(revision: Revision, stamp: Stamp) -> str:
    settings = chosen(revision, Component.TOPIC)
    copies = next(setting.text for setting in settings if setting.name == _REPLICAS)
    title = f"A plan for {copies} copies of a topic that exists."
    script = _SCRIPT.format(copies=shlex.quote(copies), program=shlex.quote(_PROGRAM))
    return "#!/bin/sh\n" + head(title, stamp, *_NOTES) + script


EXPORTS = (
    Export(
        "reassignment", "More copies of a topic", "reassign.sh", "text/x-shellscript",
        always, _write, changes_copies,
    ),
)  # fmt: skip
