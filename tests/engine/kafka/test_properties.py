from __future__ import annotations

import pytest

from labs.engine.kafka.properties import SHORTENED, RefusedSetting, broker_properties, shortened

PORTS = {1: (9001, 9002), 2: (9003, 9004), 3: (9005, 9006)}


def lines(settings) -> dict[str, str]:
    text = broker_properties(2, PORTS, settings)
    return dict(line.split("=", 1) for line in text.splitlines())


def test_a_broker_is_told_who_it_is_on_loopback():
    told = lines({})
    assert told["node.id"] == "2"
    assert told["listeners"] == "CLIENTS://127.0.0.1:9003,QUORUM://127.0.0.1:9004"
    assert told["controller.quorum.voters"] == "1@127.0.0.1:9002,2@127.0.0.1:9004,3@127.0.0.1:9006"


def test_what_the_caller_sets_wins_over_what_the_lab_shortens():
    name = "broker.session.timeout.ms"
    assert lines({})[name] == str(SHORTENED[name].lab)
    assert lines({name: 9000})[name] == "9000"
    assert shortened({})[name] == (SHORTENED[name].lab, SHORTENED[name].product)
    assert name not in shortened({name: 9000})


def test_a_paused_follower_must_stay_in_the_isr():
    assert "replica.lag.time.max.ms" not in lines({})


@pytest.mark.parametrize("control", ["\n", "\r", "\0", "\x1b", "\x7f", "\x85", "\t"])
def test_a_control_character_in_a_value_is_refused(control):
    with pytest.raises(RefusedSetting, match="holds a line break or control"):
        broker_properties(1, PORTS, {"min.insync.replicas": f"1{control}log.dirs=/"})


@pytest.mark.parametrize("name", ["a=b", "a b", "a\nb", "", ".a", "a..b", "log.dirs=", "Ä"])
def test_what_is_not_a_name_is_refused(name):
    with pytest.raises(RefusedSetting, match="is not the name of a broker setting"):
        broker_properties(1, PORTS, {name: "1"})


@pytest.mark.parametrize(
    "name",
    ["listeners", "advertised.listeners", "node.id", "process.roles", "log.dirs", "log.dir",
     "controller.quorum.voters", "inter.broker.listener.name", "listener.security.protocol.map",
     "metric.reporters", "replica.selector.class", "ssl.keystore.location",
     "listener.name.clients.ssl.keystore.location", "sasl.jaas.config",
     "authorizer.class.name", "broker.id", "metadata.log.dir"],
)  # fmt: skip
def test_a_caller_cannot_move_a_broker_out_of_its_cluster_or_load_code(name):
    with pytest.raises(RefusedSetting, match="is the lab's own to set"):
        broker_properties(1, PORTS, {name: "0.0.0.0:9092"})


def test_odd_characters_are_escaped_as_java_reads_them():
    told = lines({"a.b": " x\\ü€😀=#:!", "c": True, "d": 5})
    assert told["a.b"] == "\\u0020x\\u005c\\u00fc\\u20ac\\ud83d\\ude00=#:!"
    assert (told["c"], told["d"]) == ("true", "5")


def test_a_single_broker_can_hold_its_internal_topics():
    text = broker_properties(1, {1: (9001, 9002)}, {})
    assert "offsets.topic.replication.factor=1\n" in text
    assert "transaction.state.log.min.isr=1\n" in text
