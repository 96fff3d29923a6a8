"""Sources as links, and durations with a non-breaking space."""

from __future__ import annotations

import pytest

from labs.templatetags.cite import cited
from labs.templatetags.labs_tags import unbroken


@pytest.mark.parametrize(
    ("source", "address", "words"),
    [
        ("Kafka design.md, Replication", "https://kafka.apache.org/43/design/design/",
         "Replication"),
        ("Kafka operations/kraft.md, Controllers", "https://kafka.apache.org/43/operations/kraft/",
         "Controllers"),
        ("KafkaProducer javadoc, send()", "https://kafka.apache.org/43/javadoc/org/apache/kafka/"
         "clients/producer/KafkaProducer.html", "send()"),
        ("apache/kafka#16866", "https://github.com/apache/kafka/issues/16866", "#16866"),
        ("librdkafka issue 2153 (throttle)",
         "https://github.com/confluentinc/librdkafka/issues/2153", "(throttle)"),
        ("KIP-631 (broker fencing)", "KIP-631", "(broker fencing)"),
    ],
)  # fmt: skip
def test_a_source_links_the_document_that_it_names(source: str, address: str, words: str) -> None:
    link, end, rest = cited(source).partition("</a>")
    assert address in link
    assert end
    assert words in link + rest


def test_a_source_without_an_address_is_escaped_text() -> None:
    assert cited("Partition.scala, <effectiveMinIsr>") == "Partition.scala, &lt;effectiveMinIsr&gt;"
    assert cited("ProducerConfig.postProcess") == "ProducerConfig.postProcess"


def test_a_number_and_its_unit_stay_on_one_line() -> None:
    assert unbroken("about 45 s once it starts") == "about 45\u00a0s once it starts"
    assert unbroken("3 servers") == "3 servers"
