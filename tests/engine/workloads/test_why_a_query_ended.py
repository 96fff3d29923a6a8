"""The reason why a Spark query ended, as stated in a note of a run."""

from __future__ import annotations

from spark_jobs.pipelines.why_ended import why_ended

IN_FOREACH_BATCH = """An exception was raised by the Python Proxy. Return Message: Traceback (most \
recent call last):
  File "clientserver.py", line 644, in _call_proxy
py4j.protocol.Py4JJavaError: An error occurred while calling o696.collectToPython.
: org.apache.spark.sql.kafka010.KafkaIllegalStateException: Some data may have been lost;
either the data was aged out by Kafka or the topic may have been deleted.
Caused by: org.apache.kafka.clients.consumer.OffsetOutOfRangeException: Fetch position 22021
"""


def test_the_java_exception_is_named_without_its_python_wrappers() -> None:
    assert why_ended(IN_FOREACH_BATCH) == "KafkaIllegalStateException: Some data may have been lost"


def test_a_message_without_a_java_exception_is_shortened_to_its_first_line() -> None:
    assert why_ended("[STREAM_FAILED] Query terminated\nmore") == "[STREAM_FAILED] Query terminated"
    assert why_ended("") == ""
