"""Realistic configurations whose settings are in several files, commands, jobs and Terraform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import C, assert_answer, assert_file

READER = C.removeprefix("topic.replication.factor=3 topic.min.insync.replicas=2 ")
SERVER = (
    "process.roles=broker,controller\nnode.id=%d\ndefault.replication.factor=3\n"
    "min.insync.replicas=%d\n"
)
NO_MINIMUM = "process.roles=broker,controller\nnode.id=%d\ndefault.replication.factor=3\n"
HAS_ROLE = "process.roles"
NO_ROLES = "node.id=%d\ndefault.replication.factor=3\n%s"
EMPTIED = "YES.*a restart of the machine may empty it"
DESCRIBED = (
    "All configs for broker %d are:\n  min.insync.replicas=%d sensitive=false synonyms={STATIC_"
    "BROKER_CONFIG:min.insync.replicas=9}\n  default.replication.factor=3 sensitive=false synonyms"
    "={STATIC_BROKER_CONFIG:default.replication.factor=3}\n"
)
PAIRS = [
    # in either order
    (SERVER % (1, 1), SERVER % (2, 2), 1, "replicas=2 does not count: .* is weaker"),
    (SERVER % (1, 2), SERVER % (2, 1), 1, "min.insync.replicas=1 replaces"),
    (SERVER % (1, 2), SERVER % (2, 2), 0, "YES"),
    # a server that does not state a value has the default
    (SERVER % (1, 2), NO_MINIMUM % 2, 1, "replicas=2 is not set by .*so its default counts: 1"),
    (NO_MINIMUM % 2, SERVER % (1, 2), 1, "replicas=2 is not set by .*so its default counts: 1"),
    # a controller decides by its own file, or by the default
    (SERVER % (1, 2), (NO_MINIMUM % 2).replace("broker,", ""), 1, "default counts: 1"),
    ((SERVER % (101, 2)).replace("broker,", ""), (NO_MINIMUM % 102).replace("broker,", ""), 1,
     "replicas=2 is not set by .*so its default counts: 1"),
    (SERVER % (1, 2), (NO_MINIMUM % 2).replace(",controller", ""), 0, "YES"),
    (SERVER % (1, 2), f"{HAS_ROLE}=controller\nnode.id=101\nmin.insync.replicas=2\n", 1,
     "factor=3 is not set by .*so its default counts: 1"),
    # a server without stated roles may have both
    (NO_ROLES % (1, "min.insync.replicas=2\n"), NO_ROLES % (2, ""), 1, "default counts: 1"),
    # any log folder of any broker
    (f"{SERVER % (1, 2)}log.dirs=/tmp/k\n", f"{SERVER % (2, 2)}log.dirs=/data\n", 0, EMPTIED),
    (f"{SERVER % (1, 2)}log.dirs=/data\n", f"{SERVER % (2, 2)}log.dirs=/data,/tmp\n", 0, EMPTIED),
    (f"{SERVER % (1, 2)}log.dirs=/data\n", f"{SERVER % (2, 2)}log.dirs=/d\n", 0,
     "YES(?!.*may empty it)"),
    (SERVER % (1, 2), (NO_MINIMUM % 1), 0, "YES"),
    # a broker that is named in the output of a tool
    (DESCRIBED % (1, 1), DESCRIBED % (2, 2), 1, "replicas=2 does not count"),
    (DESCRIBED % (1, 2), DESCRIBED % (2, 2), 0, "YES"),
    # two files of one server: it is unknown which is newer
    (SERVER % (1, 1), SERVER % (1, 2), 1, "replicas=2 does not count: .* is weaker"),
    (SERVER % (1, 2), SERVER % (1, 1), 1, "min.insync.replicas=1 replaces"),
    ((SERVER % (1, 1)).replace("node.id", "broker.id"), SERVER % (2, 2), 1, "does not count"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "code", "expected"), PAIRS)
def test_the_weaker_of_two_servers_counts(
    tmp_path: Path, one: str, other: str, code: int, expected: str
) -> None:
    for name, text in (("1.properties", one), ("2.properties", other)):
        (tmp_path / name).write_text(text)
    paths = f"{tmp_path / '1.properties'} {tmp_path / '2.properties'}"
    assert_answer(paths, READER, code, expected)


EVERY_MESSAGE = f"{READER} application.history=every"
COMPACTED, DELETED = (
    f"{SERVER % (number, 2)}log.cleanup.policy={policy}\nlog.retention.ms=60000\n"
    for number, policy in ((1, "compact"), (2, "delete"))
)
NO_POLICY = f"{SERVER % (2, 2)}log.retention.ms=60000\n"
BOTH = "retention.ms: 60000 -> .*cleanup.policy: compact,delete -> delete.*"


@pytest.mark.parametrize(("one", "other", "expected"), [
    (COMPACTED, DELETED, "policy=delete and topic.cleanup.policy=compact of .* both count: comp"),
    (DELETED, COMPACTED, "policy=compact and topic.cleanup.policy=delete of .* both count: comp"),
    (COMPACTED, NO_POLICY, "is not set by .*, so its default counts, too: compact,delete"),
    (NO_POLICY, COMPACTED, "is not set by .*, so its default counts, too: compact,delete"),
])  # fmt: skip
def test_the_policies_of_two_servers_both_count(
    tmp_path: Path, one: str, other: str, expected: str
) -> None:
    for name, text in (("1.properties", one), ("2.properties", other)):
        (tmp_path / name).write_text(text)
    paths = f"{tmp_path / '1.properties'} {tmp_path / '2.properties'}"
    assert_answer(paths, EVERY_MESSAGE, 1, BOTH + expected)


COMPOSED = """
services:
  one:
    image: apache/kafka:4.3.0
    environment: {KAFKA_NODE_ID: 1, KAFKA_LOG_RETENTION_MS: 60000,
                  KAFKA_LOG_CLEANUP_POLICY: compact}
  two:
    image: apache/kafka:4.3.0
    environment: {KAFKA_NODE_ID: 2, KAFKA_LOG_RETENTION_MS: 60000%s}
"""


@pytest.mark.parametrize(("two", "expected"), [
    (", KAFKA_LOG_CLEANUP_POLICY: delete", "policy and another broker's on line 6 both count: com"),
    ("", "is not set on every server, so that its default counts, too: compact,delete"),
])  # fmt: skip
def test_the_policies_of_two_servers_of_one_file_both_count(
    tmp_path: Path, two: str, expected: str
) -> None:
    (tmp_path / "compose.yml").write_text(COMPOSED % two)
    assert_answer(f"{tmp_path / 'compose.yml'}", EVERY_MESSAGE, 1, BOTH + expected)


@pytest.mark.parametrize(("version", "code"), [("4.0", 0), ("4.1", 1)])
def test_controllers_decide_the_minimum_since_4_1(tmp_path: Path, version: str, code: int) -> None:
    files = [tmp_path / name for name in ("1.properties", "2.properties")]
    for file, text in zip(files, (SERVER % (1, 2), NO_MINIMUM % 2), strict=True):
        role = "broker,controller" if file == files[0] else "controller"
        file.write_text(text.replace("broker,controller", role))
    paths = f"--kafka {version} {files[0]} {files[1]}"
    assert_answer(paths, READER, code, "so its default counts: 1" if code else "YES")


TRANSACTION = (
    "topic.replication.factor=3 topic.min.insync.replicas=2 producer.transactional.id=o-1 "
    "application.commit=in-transaction consumer.enable.auto.commit=false "
    "consumer.isolation.level=read_committed consumer.auto.offset.reset=none "
    "application.offsets.topic.min.insync.replicas=2 application.restart=resumes"
)
HASTY = "producer.delivery.timeout.ms=31000"
GIVEN_UP = [
    # the input is read again, because its offsets are part of the failed transaction
    (f"{HASTY} application.abort=rewinds", 0, "YES"),
    ("producer.max.block.ms=1000 application.abort=rewinds", 0, "YES"),
    (f"{HASTY} application.abort=continues", 1, "given_up in delivery-timeout"),
    (f"{HASTY} application.delivery.errors=ignored", 0, "YES"),
    (f"{HASTY} application.commit=after-processing", 1, "given_up in delivery-timeout"),
    ("producer.max.block.ms=1 application.abort=rewinds", 1, "CANNOT WORK"),
]


@pytest.mark.parametrize(("settings", "code", "expected"), GIVEN_UP)
@pytest.mark.parametrize("want", ["at-least-once", "exactly-once"])
def test_records_of_a_failed_transaction_are_lost_unless_the_input_is_read_again(
    settings: str, code: int, expected: str, want: str
) -> None:
    assert_answer(f"--want {want}", f"{TRANSACTION} {settings}", code, expected)


CLIENT = "bootstrap.servers=%s\nacks=all\nlinger.ms=5\n"
HOSTS = [
    ("n.servicebus.windows.net:9093", 2, "Line 1|:1: Azure Event Hubs speaks Kafka's protocol"),
    ("seed-1.a.fmc.prd.cloud.redpanda.com:9092", 2, "Redpanda speaks"),
    ("a:9092,api.kafka.discoveryv2.prod-z.us-east-1.warpstream.com:9092", 2, "WarpStream speaks"),
    ("cell-1.streaming.eu-frankfurt-1.oci.oraclecloud.com:9092", 2, "Oracle's Streaming speaks"),
    ("a-kafka.upstash.io:9092", 2, "Upstash speaks"),
    ("pkc-1.eu-west-1.aws.confluent.cloud:9092", 0, "YES"),
    ("b-1.c.abc.c2.kafka.us-east-1.amazonaws.com:9092", 0, "YES"),
    ("a:1\n# n.servicebus.windows.net:9093", 0, "YES"),
    ("a:1\nazure.bus=sb://n.servicebus.windows.net/", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("host", "code", "expected"), HOSTS)
@pytest.mark.parametrize("option", ["", "--producer"])
def test_clients_of_brokers_other_than_kafka_are_refused(
    tmp_path: Path, host: str, code: int, expected: str, option: str
) -> None:
    assert_file(tmp_path / "producer.properties", CLIENT % host, option, C, code, expected)


SPRING = "spring:\n  kafka:\n    bootstrap-servers: n.servicebus.windows.net:9093\n"
PYTHON = "Producer({'bootstrap.servers': 'n.servicebus.windows.net:9093', 'acks': 'all'})"


@pytest.mark.parametrize(("name", "text"), [("application.yml", SPRING), ("a.py", PYTHON)])
def test_clients_of_other_brokers_are_refused_in_every_kind_of_file(
    tmp_path: Path, name: str, text: str
) -> None:
    assert_file(tmp_path / name, text, "", C, 2, "Azure Event Hubs speaks")


BROKERS = "".join(
    f"  k{number}:\n    image: apache/kafka:4.1.0\n    environment:\n"
    f"      KAFKA_NODE_ID: {number}\n      KAFKA_PROCESS_ROLES: broker,controller\n"
    "      KAFKA_LOG_DIRS: /data\n      KAFKA_DEFAULT_REPLICATION_FACTOR: 3\n"
    f"      KAFKA_MIN_INSYNC_REPLICAS: %d\n    volumes: ['d{number}:/data']\n"
    for number in (1, 2, 3)
)
ALTER = "kafka-configs.sh --bootstrap-server k:9092 --alter "
TOPIC, BROKER = "--entity-type topics --entity-name t", "--entity-type brokers --entity-default"
CREATE = "kafka-topics.sh --bootstrap-server k:9092 --create --topic"
COMMANDS = [
    (2, "echo", 0, "YES"),
    (2, f"{ALTER}{TOPIC} --add-config min.insync.replicas=1", 1, "min.insync.replicas: 1 -> 2"),
    (2, f"{ALTER}{TOPIC} --add-config retention.ms=1000,cleanup.policy=delete", 1,
     "retention.ms: 1000 -> "),
    (1, f"{ALTER}{TOPIC} --add-config 'min.insync.replicas=2,cleanup.policy=[delete]'", 0, "YES"),
    # several created topics, and a missing number
    (2, f"{CREATE} a --config min.insync.replicas=1 && {CREATE} b", 2,
     "min.insync.replicas: not every topic that is created here has the same"),
    (2, f"{CREATE} a --config retention.ms=1000 ; {CREATE} b", 2, "retention.ms: not every topic"),
    (2, f"{CREATE} a --config min.cleanable.dirty.ratio=0.1 ; {CREATE} b", 0, "YES"),
    (2, f"{CREATE} a --replication-factor $COPIES", 2, "--replication-factor is filled in when"),
    (2, f"{CREATE} a --replica-assignment 1:2:3,1", 1, "replication.factor: 1 -> 3"),
    (2, f"{CREATE} a --replica-assignment 1:2:3,2:3:1", 0, "YES"),
    (2, f"{ALTER}{BROKER} --add-config unclean.leader.election.enable=true", 1,
     "unclean.leader.election.enable: true -> false"),
    (1, f"{ALTER}{BROKER} --add-config min.insync.replicas=2", 0,
     "takes precedence over what files say"),
    (2, f"{ALTER}--broker-defaults --add-config min.insync.replicas=1", 1, "replicas: 1 -> 2"),
    (2, "kafka-topics.sh --zookeeper z:1 --alter --topic t --config min.insync.replicas=1", 1,
     "replicas: 1 -> 2"),
    (2, "kafka-configs.sh --describe --entity-type topics --add-config min.insync.replicas=1", 0,
     "YES"),
    (2, f"{ALTER}--entity-type users --entity-name u --add-config producer_byte_rate=1", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("minimum", "command", "code", "expected"), COMMANDS)
def test_settings_that_a_command_changes_count(
    tmp_path: Path, minimum: int, command: str, code: int, expected: str
) -> None:
    brokers = BROKERS % ((minimum,) * 3)
    job = f"  init:\n    image: apache/kafka:4.1.0\n    command: >\n      {command}\n"
    text = f"services:\n{brokers}{job}volumes:\n  d1:\n  d2:\n  d3:\n"
    assert_file(tmp_path / "compose.yml", text, "", READER, code, expected)


def test_settings_that_a_job_changes_count(tmp_path: Path) -> None:
    words = f"{ALTER}{TOPIC} --add-config min.insync.replicas=1".split()
    text = (
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: j\nspec:\n  template:\n    spec:\n"
        "      containers:\n        - name: c\n          image: apache/kafka:4.1.0\n"
        f"          command: {words}\n"
    )
    more = f"{READER} topic.replication.factor=3"
    assert_file(tmp_path / "job.yaml", text, "", more, 1, "min.insync.replicas: 1 -> 2")


MINIMUM_2 = '  config = { "min.insync.replicas" = "2" }\n'
MINIMUM = '  config = {\n    "min.insync.replicas" = %s\n  }\n'


def _kafka(copies: object, more: str) -> str:
    return f'resource "kafka_topic" "t" {{\n  replication_factor = {copies}\n{more}}}\n'


def _confluent(more: str) -> str:
    return f'resource "confluent_kafka_topic" "t" {{\n  topic_name = "t"\n{more}}}\n'


def _variable(name: str, value: object) -> str:
    return f'variable "{name}" {{\n  type = number\n  default = {value}\n}}\n'


TERRAFORM = [
    (_kafka(3, MINIMUM_2), 0, "YES"),
    (_kafka(3, '  config = { "min.insync.replicas" = "2", "retention.ms" = "1000" }\n'), 1,
     "retention.ms: 1000"),
    (_kafka(3, f"  // {MINIMUM_2}"), 1, "replicas: 1 -> 2"),
    ('resource "kafka_topic" "t" { replication_factor = 1 }\n', 1, "factor: 1 -> "),
    (_kafka("var.rf", MINIMUM_2) + _variable("rf", 3), 0, "is 3 unless it is given another"),
    (_kafka("var.rf", MINIMUM_2) + _variable("rf", 1), 1, "replication.factor: 1 -> "),
    (_kafka("local.rf", MINIMUM_2) + "locals {\n  rf = 3\n}\n", 0, "YES"),
    (_kafka("var.rf", MINIMUM_2) + 'variable "rf" { default = 3 }\n', 0, "is 3 unless it is given"),
    (_kafka("each.value.rf", MINIMUM_2), 2, "factor differs between the elements of for_each"),
    (_kafka(3, MINIMUM % '"${var.m}"') + _variable("m", 2), 0, "YES"),
    (_kafka(3, "  config = merge(local.c, {})\n"), 2, "config is computed by Terraform"),
    # the default minimum of Confluent is 2
    (_confluent(""), 0, "YES"),
    (_confluent(MINIMUM % "var.m"), 2, "min.insync.replicas is computed by Terraform. Write"),
    (_confluent(MINIMUM % "var.m") + _variable("m", 1), 1, "replicas: 1 -> 2"),
    (_confluent("  config = merge(var.c, {})\n"), 2, "config is computed by Terraform. Write"),
    (_confluent('  config = {"min.insync.replicas" = "1"}\n'), 1, "replicas: 1 -> 2"),
    (_confluent("  rest_endpoint = var.e\n  credentials {\n    key = var.k\n  }\n"), 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), TERRAFORM)
def test_terraform_gets_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "main.tf", text, "", READER, code, expected)


KINDS = [
    ("--consumer", "acks=1\nlinger.ms=5\nretries=3\n", 2,
     "nothing that counts in this file is of the consumer. It looks like: producer"),
    ("--broker", "auto.offset.reset=latest\nenable.auto.commit=false\n", 2, "is of the broker"),
    ("--topic", "broker.id=1\nlog.dirs=/data\n", 2, "is of the topic"),
    ("--consumer", "acks=1\nlinger.ms=5\nauto.offset.reset=earliest\n", 0, "ignores it"),
    ("--producer", "bootstrap.servers=a:1\nclient.id=a\n", 0, "YES"),
    # settings of other versions only
    ("--client-version 4.3 --producer", "buffer.memory.allocation.strategy=full\n", 0,
     "buffer.memory.allocation.strategy is a setting of 4.4 and does nothing in this version"),
    ("--kafka 4.2 --broker", "cordoned.log.dirs=*\n", 0, "is a setting of 4.3 and does nothing"),
    # a file of Cruise Control
    ("", "bootstrap.servers=a:1\nmetric.sampler.class=a.B\nzookeeper.connect=z:1\n"
     "num.metric.fetchers=1\n", 2, "3 of 4 names in this file are not settings of such a file"),
]  # fmt: skip


@pytest.mark.parametrize(("option", "text", "code", "expected"), KINDS)
def test_a_file_read_as_another_kind_gets_the_expected_answer(
    tmp_path: Path, option: str, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "given.properties", text, option, C, code, expected)


PLAYBOOKS = [
    "- hosts: kafka\n  vars:\n    broker:\n      min.insync.replicas: 2\n",
    "- name: kafka\n  min.insync.replicas: 2\n  default.replication.factor: 3\n",
]


@pytest.mark.parametrize("text", PLAYBOOKS)
def test_a_yaml_list_is_not_read_as_a_properties_file(tmp_path: Path, text: str) -> None:
    expected = "min.insync.replicas stands (under vars.broker )?in YAML of a kind"
    assert_file(tmp_path / "main.yml", text, "", C, 2, expected)
