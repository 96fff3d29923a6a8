"""The group under test, as its coordinator knows it."""

from __future__ import annotations

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException

from labs.engine.kafka.admin import quiet_admin

GROUP = "app"
_ASK_S = 5.0


def saved_positions(bootstrap: str, topic: str) -> dict[int, int]:
    """By partition, the offset that the group committed last; empty if nobody can say."""
    with quiet_admin(bootstrap) as admin:
        try:
            asked = admin.list_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(GROUP)], request_timeout=_ASK_S
            )
            answer = asked[GROUP].result()
        except KafkaException:
            return {}
    return {
        place.partition: place.offset
        for place in answer.topic_partitions or ()
        if place.topic == topic and place.offset >= 0
    }
