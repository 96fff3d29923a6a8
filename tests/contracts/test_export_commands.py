"""The arguments in exported scripts, parsed by Kafka's own commands.

The scripts run with stand-ins, which print the arguments for kafka-topics.sh, kafka-configs.sh and
kafka-reassign-partitions.sh. A command that refuses its arguments ends its JVM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from advisor.catalog import Component, Value
from advisor.export import Stamp, find
from advisor.reasoning.pipeline import Pipeline
from labs.engine.distributions.distribution import install, kafka
from tests.advisor.test_export_formats import reassign
from tests.contracts.jvm import Jvm, jvm
from tests.contracts.test_export import script_arguments

pytestmark = pytest.mark.contract

_TOOLS = "org.apache.kafka.tools"
_SETTINGS: dict[Component, dict[str, Value]] = {
    Component.TOPIC: {
        "replication.factor": 3, "cleanup.policy": "compact,delete", "retention.ms": -1,
    },
    Component.BROKER: {"min.insync.replicas": 2},
}  # fmt: skip


@pytest.fixture(scope="module")
def tools_jvm() -> Iterator[Jvm]:
    """Kafka 4.3.1 with its commands."""
    with jvm((*kafka("4.3.1").jars, *install("tools-4.3.1"))) as running:
        yield running


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """The exported `topic.sh`."""
    export = find("kafka-commands")
    assert export is not None
    path = tmp_path / "topic.sh"
    path.write_text(export.render(Pipeline(settings=_SETTINGS), Stamp("1", "4.3", "c", "http://a")))
    return path


def test_kafka_reads_the_exported_reassignment_plan(tools_jvm: Jvm, tmp_path: Path) -> None:
    reassign(tmp_path, "plan", TOPIC="orders", BROKERS="1,2,3")
    plan = (tmp_path / "reassignment.json").read_text()
    command = f"{_TOOLS}.reassign.ReassignPartitionsCommand"
    moves = _call_static(tools_jvm, command, "parseExecuteAssignmentArgs", plan).getKey()
    assert {str(move): list(moves[move]) for move in moves} == {
        "orders-0": [1, 2, 3], "orders-1": [3, 1, 2], "orders-2": [2, 3, 1]
    }  # fmt: skip


@pytest.mark.parametrize("command", ["execute", "verify"])
def test_kafka_accepts_the_arguments_of_execute_and_verify(
    tools_jvm: Jvm, tmp_path: Path, command: str
) -> None:
    arguments = _strings(
        tools_jvm, reassign(tmp_path, command, THROTTLE="1000").stdout.splitlines()
    )
    class_name = f"{_TOOLS}.reassign.ReassignPartitionsCommand"
    parsed = _call_static(tools_jvm, class_name, "validateAndParseArgs", arguments)
    assert parsed is not None


def test_kafka_reads_the_exported_topic_as_intended(tools_jvm: Jvm, script: Path) -> None:
    arguments = _strings(tools_jvm, script_arguments(script, "create"))
    parsed = _construct(tools_jvm, f"{_TOOLS}.TopicCommand$TopicCommandOptions", arguments)
    assert parsed.hasCreateOption()
    assert parsed.replicationFactor().get() == 3
    assert parsed.partitions().get() == 6
    configs = dict(item.split("=", 1) for item in parsed.topicConfig().get())
    assert configs["cleanup.policy"] == "compact,delete"
    assert configs["retention.ms"] == "-1"


@pytest.mark.parametrize(("branch", "expected"), [
    ("alter", {"cleanup.policy": "compact,delete", "retention.ms": "-1"}),
    ("brokers", {"min.insync.replicas": "2"}),
])  # fmt: skip
def test_kafka_reads_the_exported_changes_as_intended(
    tools_jvm: Jvm, script: Path, branch: str, expected: dict[str, str]
) -> None:
    arguments = _strings(tools_jvm, script_arguments(script, branch))
    options = tools_jvm.java.kafka.admin.ConfigCommand.ConfigCommandOptions(arguments)
    options.checkArgs()
    parsed = tools_jvm.java.kafka.admin.ConfigCommand.parseConfigsToBeAdded(options)
    assert expected.items() <= {key: parsed[key] for key in parsed}.items()


def _strings(running: Jvm, words: Sequence[str]) -> Any:
    array = running.gateway.new_array(running.java.java.lang.String, len(words))
    for index, word in enumerate(words):
        array[index] = word
    return array


def _call_static(running: Jvm, name: str, method: str, argument: Any) -> Any:
    """Calls a package-private static method with one argument."""
    methods = running.java.java.lang.Class.forName(name).getDeclaredMethods()
    member = next(m for m in methods if m.getName() == method and m.getParameterCount() == 1)
    member.setAccessible(True)
    return member.invoke(None, _objects(running, argument))


def _construct(running: Jvm, name: str, argument: Any) -> Any:
    """An object made by a package-private constructor with one argument."""
    constructors = running.java.java.lang.Class.forName(name).getDeclaredConstructors()
    member = next(item for item in constructors if item.getParameterCount() == 1)
    member.setAccessible(True)
    return member.newInstance(_objects(running, argument))


def _objects(running: Jvm, argument: Any) -> Any:
    array = running.gateway.new_array(running.java.java.lang.Object, 1)
    array[0] = argument
    return array
