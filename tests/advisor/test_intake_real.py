"""Files of whole applications: what in them is not ours is left alone, and what is ours is read."""

from __future__ import annotations

import pytest

from advisor.catalog import Family
from advisor.intake import Intake, Product, read

JAVA = Product(Family.JAVA, "4.3", "4.3")


def _read(text: str) -> Intake:
    found = read(text, JAVA)
    assert [problem.message for problem in found.problems] == []
    return found


def test_a_dict_of_something_else_is_no_setting_of_a_client() -> None:
    text = (
        "registry = SchemaRegistryClient({'url': 'http://r'})\n"
        "producer = Producer({'acks': 'all'})\n"
        "admin.create_topics([NewTopic('t', 3, 3, config={'min.insync.replicas': '2'})])\n"
        "producer.produce('t', b'x', headers={'trace': '1'})\n"
    )
    found = _read(text)
    assert found.settings == {"producer.acks": "all"}
    assert found.notes == [
        f"Line {line}: a dict without a setting of a client: not read." for line in (1, 3, 4)
    ]


def test_a_client_that_is_given_a_name_of_nobody_still_refuses_it() -> None:
    text = "p = Producer({'nonsense': 1})\nc = Consumer({'group.id': 'g'})"
    [problem] = read(text, JAVA).problems
    assert problem.message == 'Line 1: No such configuration property: "nonsense"'


IN_MAPS = {
    "consumer.startingOffsets": "earliest", "consumer.failOnDataLoss": False, "producer.acks": "1",
}  # fmt: skip


@pytest.mark.parametrize("code", [
    'val o = Map("startingOffsets" -> "earliest", "failOnDataLoss" -> "false")\n'
    "spark.readStream.format(\"kafka\").options(o).load()\n"
    'val sink = Map("kafka.acks" -> "1", "x" -> "y")',
    'o.put("startingOffsets", "earliest"); o.put("failOnDataLoss", "false");\n'
    'spark.readStream().format("kafka").options(o);\n'
    'df.writeStream().options(Map.of("topic", "t", "kafka.acks", "1"));',
    'spark.readStream().options(mapOf("startingOffsets" to "earliest", "failOnDataLoss" to false))\n'
    '// "kafka.acks" to "all"\nval s = mapOf("kafka.acks" to "1")',
    '{"source": {"startingOffsets": "earliest", "failOnDataLoss": false},\n'
    ' "sink": {"kafka.acks": "1"}}',
])  # fmt: skip
def test_sparks_options_are_read_out_of_maps(code: str) -> None:
    assert _read(code).settings == IN_MAPS
