from __future__ import annotations

import pytest

from advisor.catalog import Component, Family, lookup
from labs.engine.cluster.nodes import Layout, Node, address, nodes, proxy_ports
from labs.engine.cluster.properties import SHORTENED, RefusedSetting, node_properties, shortened
from labs.engine.distributions.distribution import all_versions, zookeeper_versions

NEWEST = "4.3.1"


def plan(brokers: int = 3, controllers: int = 0, *, linked: bool = False) -> tuple[Node, ...]:
    """Nodes at the ports from 9001 on, as many as they need."""
    layout = Layout(brokers, controllers, linked=linked)
    return nodes(iter(range(9001, 9001 + layout.ports)), layout)


def lines(settings, id_=2, laid=None, version=NEWEST) -> dict[str, str]:
    laid = laid or plan()
    text = node_properties(laid[id_ - 1], laid, settings, version)
    return dict(line.split("=", 1) for line in text.splitlines())


def test_a_broker_is_told_who_it_is_on_loopback():
    data = lines({})
    assert data["node.id"] == "2"
    assert data["listeners"] == "CLIENTS://127.0.0.1:9003,QUORUM://127.0.0.1:9004"
    assert data["controller.quorum.voters"] == "1@127.0.0.1:9002,2@127.0.0.1:9004,3@127.0.0.1:9006"
    assert data["process.roles"] == "broker,controller"


def test_what_others_are_told_leads_through_the_links():
    data = lines({}, laid=plan(linked=True))
    assert data["listeners"] == "CLIENTS://127.0.0.1:9005,QUORUM://127.0.0.1:9007"
    assert data["advertised.listeners"] == "CLIENTS://127.0.0.1:9006,QUORUM://127.0.0.1:9008"
    assert data["controller.quorum.voters"] == "1@127.0.0.1:9004,2@127.0.0.1:9008,3@127.0.0.1:9012"


def test_before_3_9_a_controllers_listener_cannot_be_advertised():
    data = lines({}, laid=plan(linked=True), version="3.8.1")
    assert data["advertised.listeners"] == "CLIENTS://127.0.0.1:9006"


def test_dedicated_controllers_serve_no_clients_and_brokers_no_quorum():
    laid = plan(3, 1)
    broker, controller = lines({}, 3, laid), lines({}, 4, laid)
    assert (broker["process.roles"], broker["node.id"]) == ("broker", "3")
    assert broker["listeners"] == "CLIENTS://127.0.0.1:9003"
    assert (controller["process.roles"], controller["node.id"]) == ("controller", "4")
    assert controller["listeners"] == "QUORUM://127.0.0.1:9004"
    assert {data["controller.quorum.voters"] for data in (broker, controller)} == {
        "4@127.0.0.1:9004"
    }


@pytest.mark.parametrize("version", zookeeper_versions())
def test_brokers_with_zookeeper_are_told_where_it_is_and_nothing_of_kraft(version):
    layout = Layout(zookeeper=True)
    ports = iter(range(9001, 9001 + layout.ports))
    laid, keeper = nodes(ports, layout), address(ports, linked=False)
    assert next(ports, None) is None
    text = node_properties(laid[1], laid, {"min.insync.replicas": 2}, version, zookeeper=keeper)
    properties = dict(line.split("=", 1) for line in text.splitlines())
    assert (properties["broker.id"], properties["zookeeper.connect"]) == ("2", "127.0.0.1:9004")
    assert (
        properties["listeners"] == properties["advertised.listeners"] == "CLIENTS://127.0.0.1:9002"
    )
    assert properties["zookeeper.session.timeout.ms"] == "4000"
    assert properties["min.insync.replicas"] == "2"
    of_kraft = {"process.roles", "node.id", "broker.session.timeout.ms", "controller.quorum.voters"}
    assert not of_kraft & set(properties)
    left = shortened({}, version, zookeeper=True)
    assert left["zookeeper.session.timeout.ms"] == (4000, 18000)
    assert not of_kraft & set(left)


def test_the_way_from_a_linked_broker_to_its_zookeeper_leads_through_a_door():
    layout = Layout(2, linked=True, zookeeper=True)
    ports = iter(range(9001, 9001 + layout.ports))
    laid, keeper = nodes(ports, layout), address(ports, linked=True)
    assert next(ports, None) is None
    text = node_properties(laid[0], laid, {}, "2.8.2", zookeeper=keeper)
    assert f"zookeeper.connect=127.0.0.1:{keeper.advertised[1]}" in text.splitlines()
    (door,) = (door for door in proxy_ports(laid, keeper) if door.node == "0")
    assert (door.at, door.to, door.listener) == (keeper.advertised[1], keeper.at[1], "QUORUM")
    assert keeper.at != keeper.advertised


@pytest.mark.parametrize("version", all_versions())
def test_each_release_is_told_what_it_knows_and_its_defaults_are_as_stated(version):
    data, line = lines({}, version=version), version.rpartition(".")[0]
    both = shortened({}, version) | shortened({}, version, zookeeper=True)
    for name, (_, product) in both.items():
        setting = lookup(Family.JAVA, line, line, Component.BROKER, name, every=True)
        assert setting.default == product, name
    share_groups = [name for name in data if name.startswith("share.")]
    assert bool(share_groups) is (int(version[0]) >= 4)  # KIP-932


def test_what_the_caller_sets_wins_over_what_the_lab_shortens():
    name = "broker.session.timeout.ms"
    assert lines({})[name] == str(SHORTENED[name].lab)
    assert lines({name: 9000})[name] == "9000"
    assert shortened({}, NEWEST)[name] == (SHORTENED[name].lab, SHORTENED[name].product)
    assert name not in shortened({name: 9000}, NEWEST)


def test_a_paused_follower_must_stay_in_the_isr():
    assert "replica.lag.time.max.ms" not in lines({})


@pytest.mark.parametrize("control", ["\n", "\r", "\0", "\x1b", "\x7f", "\x85", "\t"])
def test_a_control_character_in_a_value_is_refused(control):
    with pytest.raises(RefusedSetting, match="holds a line break or control"):
        lines({"min.insync.replicas": f"1{control}log.dirs=/"})


@pytest.mark.parametrize("name", ["a=b", "a b", "a\nb", "", ".a", "a..b", "log.dirs=", "Ä"])
def test_what_is_not_a_name_is_refused(name):
    with pytest.raises(RefusedSetting, match="is not the name of a broker setting"):
        lines({name: "1"})


@pytest.mark.parametrize(
    "name",
    ["listeners", "advertised.listeners", "node.id", "process.roles", "log.dirs", "log.dir",
     "controller.quorum.voters", "inter.broker.listener.name", "listener.security.protocol.map",
     "metric.reporters", "replica.selector.class", "ssl.keystore.location",
     "listener.name.clients.ssl.keystore.location", "sasl.jaas.config",
     "authorizer.class.name", "broker.id", "metadata.log.dir"],
)  # fmt: skip
def test_a_caller_cannot_move_a_broker_out_of_its_cluster_or_load_code(name):
    with pytest.raises(RefusedSetting, match="is reserved for the lab"):
        lines({name: "0.0.0.0:9092"})


def test_odd_characters_are_escaped_as_java_reads_them():
    data = lines({"a.b": " x\\ü€😀=#:!", "c": True, "d": 5})
    assert data["a.b"] == "\\u0020x\\u005c\\u00fc\\u20ac\\ud83d\\ude00=#:!"
    assert (data["c"], data["d"]) == ("true", "5")


def test_a_single_broker_can_hold_its_internal_topics():
    data = lines({}, 1, plan(1))
    assert data["offsets.topic.replication.factor"] == "1"
    assert data["transaction.state.log.min.isr"] == "1"
