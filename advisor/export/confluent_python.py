"""A Python module for confluent-kafka: two dicts, and the code that their meaning depends on."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.export.base import Export, Revision, Stamp, head
from advisor.export.choice import chosen, code_notes, file_notes
from advisor.export.python_literal import literal
from advisor.reasoning.pipeline import Pipeline

_IMPORTS = """
from confluent_kafka import Consumer, KafkaException, Producer

"""

_CLIENTS = """

def new_producer(bootstrap_servers):
    return Producer(PRODUCER | {"bootstrap.servers": bootstrap_servers})


def new_consumer(bootstrap_servers, group_id):
    return Consumer(CONSUMER | {"bootstrap.servers": bootstrap_servers, "group.id": group_id})
"""

_SEND = '''

def send(producer, topic, key, value, on_delivery):
    """Queues one message. `on_delivery(error, message)` receives the result."""
    while True:
        try:
            producer.produce(topic, value, key, on_delivery=on_delivery)
            break
        except BufferError:  # the queue is full: deliver some first
            producer.poll(1.0)
    producer.poll(0)  # serves the callbacks of earlier messages


def finish(producer):
    """Call this before the process ends: what is still queued would be lost."""
    while producer.flush(10.0) > 0:
        pass
'''

_TRANSACTION = '''

def copy(consumer, producer, topic, transform):
    """One transaction for each batch: its results and its offsets are committed together.

    Call producer.init_transactions() once before. If this raises, nothing of the batch counts:
    the consumer must go back to its committed offsets (or the process start again).
    """
    messages = consumer.consume(500, timeout=1.0)
    if not messages:
        return
    producer.begin_transaction()
    try:
        for message in messages:
            if message.error():
                raise KafkaException(message.error())
            producer.produce(topic, transform(message.value()), message.key())
            producer.poll(0)
        positions = consumer.position(consumer.assignment())
        producer.send_offsets_to_transaction(positions, consumer.consumer_group_metadata())
        producer.commit_transaction()
    except Exception:
        producer.abort_transaction()
        raise
'''

_RECEIVE = '''

def receive(consumer, process):
    """Takes one message and processes it; False if there was none for a second."""
    message = consumer.poll(1.0)
    if message is None:
        return False
    if message.error():
        raise KafkaException(message.error())
{steps}    return True
'''

_PROCESS = "    process(message)\n"
_COMMIT = "    consumer.commit(message=message, asynchronous=False)\n"
_STORE = "    consumer.store_offsets(message=message)  # the client commits what is stored\n"


def _steps(pipeline: Pipeline) -> str:
    """Returns the code around the processing, so that the offset is committed as the pipeline
    says."""
    commit = pipeline.value(Component.APPLICATION, "commit")
    by_client = pipeline.value(Component.CONSUMER, "enable.auto.commit")
    stored_by_client = pipeline.value(Component.CONSUMER, "enable.auto.offset.store")
    if commit == "before-processing":
        return _COMMIT + _PROCESS
    if by_client and not stored_by_client:
        return _PROCESS + _STORE
    return _PROCESS + _COMMIT if commit == "after-processing" else _PROCESS


def _dict(name: str, revision: Revision, component: Component) -> str:
    return literal(name, {setting.name: setting for setting in chosen(revision, component)})


def _write(revision: Revision, stamp: Stamp) -> str:
    pipeline, both = revision.exported, (Component.PRODUCER, Component.CONSUMER)
    notes = (*code_notes(pipeline, *both), *file_notes(revision, *both))
    parts = [head("Settings for confluent-kafka (librdkafka).", stamp, *notes)]
    parts.append(_IMPORTS)
    parts.append(_dict("PRODUCER", revision, Component.PRODUCER) + "\n")
    parts.append(_dict("CONSUMER", revision, Component.CONSUMER) + _CLIENTS)
    if pipeline.value(Component.APPLICATION, "commit") == "in-transaction":
        parts.append(_TRANSACTION)
    else:
        parts.extend((_SEND, _RECEIVE.format(steps=_steps(pipeline))))
    return "".join(parts)


def _applies(pipeline: Pipeline) -> bool:
    return pipeline.family is Family.LIBRDKAFKA


EXPORTS = (
    Export(
        "confluent-python",
        "Python (confluent-kafka)",
        "delivery_settings.py",
        "text/x-python",
        _applies,
        _write,
    ),
)
