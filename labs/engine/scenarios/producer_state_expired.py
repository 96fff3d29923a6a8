"""A retry arrives after the brokers have forgotten the producer.

The leader's responses are lost, as in `acknowledgement-lost`, and then the producer is silent for
longer than brokers keep its sequence numbers (producer.id.expiration.ms, KIP-854). These expire by
time and not with the connection. A later retry finds a broker that accepts any sequence number of
this producer (ProducerAppendInfo.java, `checkSequence`), and the batch is in the log twice in spite
of idempotence.

A client retries for as long as delivery.timeout.ms allows. If that is longer than the expiration,
hours pass in seconds here: sequence numbers are kept for one of the three seconds in which nothing
gets through. Otherwise they are kept as described. The seconds stand for an outage longer than any
client's timeout, so a client that gives up breaks no guarantee.
"""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.clients.translate import Pinned
from labs.engine.faults.links import cut, mend, sever
from labs.engine.faults.roles import impaired, leader
from labs.engine.plan.spec import Settings
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker

_EXPIRATION = "producer.id.expiration.ms"
_WHY_SHORTER = "hours pass in seconds, and nothing from the producer arrives for three of them"


def _broker_pins(settings: Settings) -> Mapping[str, Pinned]:
    timeout_ms = int(settings["producer"]["delivery.timeout.ms"])
    in_time = 0 < timeout_ms <= int(settings["broker"][_EXPIRATION])  # 0: librdkafka never gives up
    if in_time or settings["producer"].get("transactional.id"):
        return {}
    return {
        _EXPIRATION: Pinned(1000, 86_400_000, _WHY_SHORTER),
        "producer.id.expiration.check.interval.ms": Pinned(300, 600_000, _WHY_SHORTER),
    }


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(cut, leader(TOPIC), "clients", "from")
    stage.let_run(seconds["unheard_s"])
    stage.do(sever, leader(TOPIC), "clients")
    stage.heal(mend, impaired())


SCENARIO = Scenario(
    name="producer-state-expired",
    title="The broker has forgotten the producer when its retry comes",
    story=(
        "For some seconds the leader's responses do not reach its clients. What the producer sent "
        "is written, and the producer waits for the responses. Then the connections break, and it "
        "sends again what was not acknowledged. By then the broker may have forgotten the "
        "producer's sequence numbers."
    ),
    shows=("duplicate", "unavailable"),
    topology=one_broker,
    durations={"lead_in_s": (1.0, 2.0), "unheard_s": (3.0, 3.5), "healed_s": (1.0, 1.5)},
    play=_play,
    broker_pins=_broker_pins,
    rarely={
        "reordered": "all unanswered batches are sent again in order, and first copies count",
    },
    linked=True,
    since="3.4",
    why_since="before Kafka 3.4 brokers look for expired producers only every ten minutes",
    measured=(Rate("duplicate", 10, 10),),
    zookeeper=True,
    zookeeper_since="3.4",
)
