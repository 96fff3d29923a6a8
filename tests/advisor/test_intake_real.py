"""Files of whole applications: what in them is not ours is left alone, and what is ours is read."""

from __future__ import annotations

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
