from __future__ import annotations

import pytest

from advisor.catalog import Component, Family, lookup
from labs.engine.cluster.nodes import Layout, Node, address, nodes, proxy_ports
from labs.engine.cluster.properties import SHORTENED, RefusedSetting, node_properties, shortened
from labs.engine.distributions.distribution import all_versions, zookeeper_versions

NEWEST = "4.3.1"


def plan_layout(
    brokers: int = 3, controllers: int = 0, *, linked: bool = False
) -> tuple[Node, ...]:
    """The nodes of a layout, with consecutive ports from 9001."""
    layout = Layout(brokers, controllers, linked=linked)
    return nodes(iter(range(9001, 9001 + layout.ports)), layout)


def properties_of(settings, id_=2, planned=None, version=NEWEST) -> dict[str, str]:
    planned = planned or plan_layout()
    text = node_properties(planned[id_ - 1], planned, settings, version)
    return dict(line.split("=", 1) for line in text.splitlines())


def test_a_broker_gets_its_id_and_listeners_on_loopback():
    data = properties_of({})
    assert data["node.id"] == "2"
    assert data["listeners"] == "CLIENTS://127.0.0.1:9003,QUORUM://127.0.0.1:9004"
    assert data["controller.quorum.voters"] == "1@127.0.0.1:9002,2@127.0.0.1:9004,3@127.0.0.1:9006"
    assert data["process.roles"] == "broker,controller"


def test_advertised_listeners_and_voters_are_the_proxied_ports():
    data = properties_of({}, planned=plan_layout(linked=True))
    assert data["listeners"] == "CLIENTS://127.0.0.1:9005,QUORUM://127.0.0.1:9007"
    assert data["advertised.listeners"] == "CLIENTS://127.0.0.1:9006,QUORUM://127.0.0.1:9008"
    assert data["controller.quorum.voters"] == "1@127.0.0.1:9004,2@127.0.0.1:9008,3@127.0.0.1:9012"


def test_before_3_9_a_controller_listener_is_not_advertised():
    data = properties_of({}, planned=plan_layout(linked=True), version="3.8.1")
    assert data["advertised.listeners"] == "CLIENTS://127.0.0.1:9006"


def test_dedicated_controllers_have_no_client_listener_and_brokers_no_quorum_listener():
    planned = plan_layout(3, 1)
    broker, controller = properties_of({}, 3, planned), properties_of({}, 4, planned)
    assert (broker["process.roles"], broker["node.id"]) == ("broker", "3")
    assert broker["listeners"] == "CLIENTS://127.0.0.1:9003"
    assert (controller["process.roles"], controller["node.id"]) == ("controller", "4")
    assert controller["listeners"] == "QUORUM://127.0.0.1:9004"
    assert {data["controller.quorum.voters"] for data in (broker, controller)} == {
        "4@127.0.0.1:9004"
    }


@pytest.mark.parametrize("version", zookeeper_versions())
def test_brokers_with_zookeeper_get_its_address_and_no_kraft_settings(version):
    layout = Layout(zookeeper=True)
    ports = iter(range(9001, 9001 + layout.ports))
    planned, keeper = nodes(ports, layout), address(ports, linked=False)
    assert next(ports, None) is None
    text = node_properties(
        planned[1], planned, {"min.insync.replicas": 2}, version, zookeeper=keeper
    )
    properties = dict(line.split("=", 1) for line in text.splitlines())
    assert (properties["broker.id"], properties["zookeeper.connect"]) == ("2", "127.0.0.1:9004")
    assert (
        properties["listeners"] == properties["advertised.listeners"] == "CLIENTS://127.0.0.1:9002"
    )
    assert properties["zookeeper.session.timeout.ms"] == "4000"
    assert properties["min.insync.replicas"] == "2"
    kraft_settings = {
        "process.roles",
        "node.id",
        "broker.session.timeout.ms",
        "controller.quorum.voters",
    }
    assert not kraft_settings & set(properties)
    shortened_settings = shortened({}, version, zookeeper=True)
    assert shortened_settings["zookeeper.session.timeout.ms"] == (4000, 18000)
    assert not kraft_settings & set(shortened_settings)


def test_a_linked_broker_reaches_zookeeper_through_a_proxy_port():
    layout = Layout(2, linked=True, zookeeper=True)
    ports = iter(range(9001, 9001 + layout.ports))
    planned, keeper = nodes(ports, layout), address(ports, linked=True)
    assert next(ports, None) is None
    text = node_properties(planned[0], planned, {}, "2.8.2", zookeeper=keeper)
    assert f"zookeeper.connect=127.0.0.1:{keeper.advertised[1]}" in text.splitlines()
    (proxy,) = (port for port in proxy_ports(planned, keeper) if port.node == "0")
    assert (proxy.at, proxy.to, proxy.listener) == (keeper.advertised[1], keeper.at[1], "QUORUM")
    assert keeper.at != keeper.advertised


@pytest.mark.parametrize("version", all_versions())
def test_shortened_settings_state_the_defaults_of_each_release(version):
    data, line = properties_of({}, version=version), version.rpartition(".")[0]
    both = shortened({}, version) | shortened({}, version, zookeeper=True)
    for name, (_, product) in both.items():
        setting = lookup(Family.JAVA, line, line, Component.BROKER, name, every=True)
        assert setting.default == product, name
    share_groups = [name for name in data if name.startswith("share.")]
    assert bool(share_groups) is (int(version[0]) >= 4)  # KIP-932


def test_a_setting_of_the_caller_overrides_a_shortened_one():
    name = "broker.session.timeout.ms"
    assert properties_of({})[name] == str(SHORTENED[name].lab)
    assert properties_of({name: 9000})[name] == "9000"
    assert shortened({}, NEWEST)[name] == (SHORTENED[name].lab, SHORTENED[name].product)
    assert name not in shortened({name: 9000}, NEWEST)


def test_replica_lag_time_max_ms_is_not_shortened():
    """Otherwise a paused follower would leave the ISR sooner than by Kafka's default."""
    assert "replica.lag.time.max.ms" not in properties_of({})


@pytest.mark.parametrize("control", ["\n", "\r", "\0", "\x1b", "\x7f", "\x85", "\t"])
def test_a_control_character_in_a_value_is_refused(control):
    with pytest.raises(RefusedSetting, match="holds a line break or control"):
        properties_of({"min.insync.replicas": f"1{control}log.dirs=/"})


@pytest.mark.parametrize("name", ["a=b", "a b", "a\nb", "", ".a", "a..b", "log.dirs=", "Ä"])
def test_an_invalid_setting_name_is_refused(name):
    with pytest.raises(RefusedSetting, match="is not the name of a broker setting"):
        properties_of({name: "1"})


@pytest.mark.parametrize(
    "name",
    ["listeners", "advertised.listeners", "node.id", "process.roles", "log.dirs", "log.dir",
     "controller.quorum.voters", "inter.broker.listener.name", "listener.security.protocol.map",
     "metric.reporters", "replica.selector.class", "ssl.keystore.location",
     "listener.name.clients.ssl.keystore.location", "sasl.jaas.config",
     "authorizer.class.name", "broker.id", "metadata.log.dir"],
)  # fmt: skip
def test_settings_that_move_a_broker_or_load_code_are_refused(name):
    with pytest.raises(RefusedSetting, match="is reserved for the lab"):
        properties_of({name: "0.0.0.0:9092"})


def test_special_characters_are_escaped_as_in_java_properties():
    data = properties_of({"a.b": " x\\ü€😀=#:!", "c": True, "d": 5})
    assert data["a.b"] == "\\u0020x\\u005c\\u00fc\\u20ac\\ud83d\\ude00=#:!"
    assert (data["c"], data["d"]) == ("true", "5")


def test_internal_topics_of_a_single_broker_have_one_replica():
    data = properties_of({}, 1, plan_layout(1))
    assert data["offsets.topic.replication.factor"] == "1"
    assert data["transaction.state.log.min.isr"] == "1"
