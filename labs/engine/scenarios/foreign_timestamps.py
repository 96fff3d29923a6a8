"""Records have timestamps older than the topic's retention, while no consumer reads.

Retention uses the largest timestamp of a segment, which is the sender's unless
message.timestamp.type=LogAppendTime (KIP-32), and also deletes the newest segment. Such records are
acknowledged, and deleted at the next check, whether they were read or not. Checks come every 0.3 s
here. Records with timestamps in the future, which a broker refuses (message.timestamp.after.max.ms,
KIP-937), are not sent.
"""

from __future__ import annotations

from labs.engine.scenarios.model import Rate, Scenario
from labs.engine.scenarios.steps import (
    SHORT_SESSION,
    early_retention,
    nobody_reads_while_messages_expire,
)
from labs.engine.scenarios.topologies import one_broker_and_a_group

SCENARIO = Scenario(
    name="foreign-timestamps",
    title="Records with timestamps from long ago",
    story=(
        "A replay sends records with the timestamps that they had at their source, a day older "
        "than the topic's retention allows. The group's only member dies. Some seconds later a new "
        "one continues from the group's position."
    ),
    shows=("effect_missing", "skipped"),
    topology=one_broker_and_a_group,
    durations={"lead_in_s": (1.0, 2.0), "away_s": (3.0, 4.0), "healed_s": (1.0, 1.5)},
    play=nobody_reads_while_messages_expire,
    workload="replay-sink",
    consumer_pins=SHORT_SESSION,
    broker_pins=early_retention,
    measured=(Rate("effect_missing", 10, 10),),
    zookeeper=True,
)
