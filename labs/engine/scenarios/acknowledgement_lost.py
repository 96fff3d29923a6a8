"""The leader's responses are lost: batches are written, and their senders do not learn of it.

First only the responses stop, then the connections break. A client that retries sends batches that
are already in the log. With idempotence the leader recognizes a batch by its sequence number and
only acknowledges it (KIP-98). Without idempotence the batch is in the log twice. A client that does
not retry has given up records that are in the log.
"""

from __future__ import annotations

from labs.engine.faults.links import cut, mend, sever
from labs.engine.faults.roles import impaired, leader
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import up_to_five


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(cut, leader(TOPIC), "clients", "from")
    stage.let_run(seconds["unanswered_s"])
    stage.do(sever, leader(TOPIC), "clients")
    stage.heal(mend, impaired())


SCENARIO = Scenario(
    name="acknowledgement-lost",
    title="Acknowledgements are lost with their connections",
    story=(
        "For a moment the leader's responses do not reach its clients. What the clients send still "
        "reaches the leader and is written. Then the connections break, and the responses in "
        "flight are lost. The clients connect again and do what their settings say."
    ),
    shows=("duplicate", "unavailable", "given_up"),
    topology=up_to_five,
    durations={"lead_in_s": (1.0, 2.0), "unanswered_s": (0.3, 0.8), "healed_s": (1.0, 1.5)},
    play=_play,
    rarely={
        "lost_write": "here requests arrive, and only responses are lost with their connections",
        "reordered": "all unanswered batches are sent again in order, and first copies count",
        "given_up": "what a client gives up here is in the log: only its acknowledgement was lost",
    },
    given_up_breaks=True,
    linked=True,
    measured=(Rate("duplicate", 10, 10),),
    zookeeper=True,
)
