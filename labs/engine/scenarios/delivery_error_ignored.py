"""The topic refuses every record for a while, and only the delivery report says so.

A record that is larger than max.message.bytes is refused, and no client retries it. send() does not
throw for it; only the callback or the future reports the error (KafkaProducer javadoc, send();
librdkafka INTRODUCTION.md, "Message reliability"). The scenario makes that setting too small and
then restores it. No refused record is in the log, so a record that is sent again makes no second
copy. With acks=0 the broker does not respond, and the records that it refuses count as sent.
"""

from __future__ import annotations

from labs.engine.faults.admin import accept, refuse
from labs.engine.faults.clients import replace_ended
from labs.engine.scenarios.model import TOPIC, Durations, Rate, Scenario, Stage
from labs.engine.scenarios.topologies import one_broker


def _play(stage: Stage, seconds: Durations) -> None:
    stage.do(refuse, TOPIC)
    stage.let_run(seconds["refusing_s"])
    stage.heal(accept, TOPIC)
    stage.heal(replace_ended, "producer")


SCENARIO = Scenario(
    name="delivery-error-ignored",
    title="Delivery errors that nobody checks",
    story=(
        "Somebody sets the topic's max.message.bytes too small, and every send fails until the "
        "value is corrected. An application that checks its sends sends again, or stops and is "
        "started again with the messages that failed. One that does not check them continues as if "
        "nothing were wrong."
    ),
    shows=("given_up", "lost_write", "unavailable"),
    topology=one_broker,
    durations={"lead_in_s": (1.0, 2.0), "refusing_s": (1.0, 1.5), "healed_s": (1.0, 1.5)},
    play=_play,
    rate_per_s=500,
    given_up_breaks=True,
    workload="produce-heeding",
    measured=(Rate("given_up", 10, 10),),
    zookeeper=True,
)
