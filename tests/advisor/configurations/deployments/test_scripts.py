"""Scripts that create topics: their variables, and their other commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, assert_file

CREATE = "kafka-topics.sh --create --topic a --replication-factor 3 --config min.insync.replicas=2 "
OF_BROKER = "kafka-configs.sh --alter --entity-type brokers --entity-name %d --add-config "
UNCLEAN = "unclean.leader.election.enable=true"
IS_UNCLEAN = "unclean.leader.election.enable: true -> false"
NOT_READ = "options from a variable in this command are not read"
FILLED_IN = "settings from a variable after --config or --add-config are not read"
PASSED = "unclean.leader.election.enable is a variable that this script passes to a process"
OF_TOOL = "belongs to a client that this command starts"
QUOTED = "unclean.leader.election.enable='true'"
THROTTLED = "quota holds the producer back"
QUOTA = "kafka-configs.sh --bootstrap-server b --alter --add-config 'producer_byte_rate=1024' "
ALTER = f"{CREATE}\nkafka-configs.sh --alter --topic a --add-config "


@pytest.mark.parametrize(("text", "code", "expected"), [
    (CREATE, 0, "YES"),
    # options and settings from variables
    (f"OPTS='--config {UNCLEAN}'\n{CREATE}$OPTS", 1, IS_UNCLEAN),
    (f'OPTS="--config {UNCLEAN}"\n{CREATE}${{OPTS}}', 1, IS_UNCLEAN),
    (f'OPTS=(\n  --config\n  {UNCLEAN}\n)\n{CREATE}"${{OPTS[@]}}"', 1, IS_UNCLEAN),
    (f"{CREATE}$OPTS", 0, NOT_READ),
    (f'{CREATE}"$@"', 0, NOT_READ),
    (f"{CREATE}--bootstrap-server $SERVERS --command-config $FILE", 0, "YES(?!.*not read here)"),
    (f"{CREATE}--config $SETTING", 2, FILLED_IN),
    (f"{ALTER}$SETTINGS", 2, FILLED_IN),
    (f'{ALTER}"$(cat settings)"', 2, FILLED_IN),
    # blanks between settings
    (f'{ALTER}"retention.ms=1, {UNCLEAN}"', 1, IS_UNCLEAN),
    (f"{ALTER}'unclean.leader.election.enable = true'", 1, IS_UNCLEAN),
    (f'{CREATE}--config "unclean.leader.election.enable = true"', 1, IS_UNCLEAN),
    # quotes around only the value
    (f'{CREATE}--config unclean.leader.election.enable="true"', 1, IS_UNCLEAN),
    (f"{CREATE}--config unclean.leader.election.enable='true'", 1, IS_UNCLEAN),
    (f'{ALTER}retention.ms=604800000,unclean.leader.election.enable="true"', 1, IS_UNCLEAN),
    (f'{ALTER}"unclean.leader.election.enable"="true"', 1, IS_UNCLEAN),
    (f'{CREATE}--config unclean.leader.election.enable="$U"', 2, "is filled in before this file"),
    (f'{CREATE}--config unclean.leader.election.enable="${{U:-true}}"', 1, IS_UNCLEAN),
    (f'{CREATE}--config unclean.leader.election.enable="false"', 0, "YES"),
    (f"{CREATE}\nkafka-server-start.sh s.properties --override {QUOTED}", 1, IS_UNCLEAN),
    # a command that continues in the next line, in the shells of Windows
    (f"{CREATE}^\n  --config {UNCLEAN}", 1, IS_UNCLEAN),
    (f"{CREATE}`\n  --config {UNCLEAN}", 1, IS_UNCLEAN),
    (f"NAME=` hostname `\n{CREATE}", 0, "YES"),
    # a topic is deleted
    (f"kafka-topics.sh --delete --if-exists --topic a\n{CREATE}", 2, "deletes a topic with its"),
    # a default quota, for clients without their own
    (f"{QUOTA}--entity-type clients --entity-default\n{CREATE}", 1, THROTTLED),
    (f"{QUOTA}--entity-type users --entity-default\n{CREATE}", 1, THROTTLED),
    (f"{QUOTA}--client-defaults\n{CREATE}", 1, "applies to clients without a quota of their own"),
    (f"{QUOTA}--entity-type users --entity-name a\n{CREATE}", 0, "applies to some clients"),
    (f"{QUOTA}--entity-type users --entity-name a --entity-type clients --entity-default\n{CREATE}",
     0, "applies to some clients"),
    # a comment
    (f"{CREATE}# --config {UNCLEAN}", 0, "YES"),
    (f"{CREATE}--config 'min.insync.replicas=1' # weak", 1, "min.insync.replicas: 1 -> 2"),
    # other commands of a script
    (f"{CREATE}\nkafka-server-start.sh s.properties --override {UNCLEAN}", 1, IS_UNCLEAN),
    (f"docker run -e KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE=true apache/kafka\n{CREATE}", 2, PASSED),
    (f"export KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE=true\n{CREATE}", 2, PASSED),
    (f"export KAFKA_MIN_INSYNC_REPLICAS=2\n{CREATE}--config "
     "min.insync.replicas=$KAFKA_MIN_INSYNC_REPLICAS", 0, "YES"),
    (f"export KAFKA_HEAP_OPTS=-Xmx1g\n{CREATE}", 0, "YES"),
    (f"echo {UNCLEAN} >> s.properties\n{CREATE}", 2, "is written by this command"),
    (f"cat > s.properties <<EOF\n{UNCLEAN}\nEOF\n{CREATE}", 2, "is written into a file by this"),
    (f"cat <<'EOF' | tee s.properties\n{UNCLEAN}\nEOF\n{CREATE}", 2, "is written into a file by"),
    (f"bash <<EOF\n{CREATE}--config {UNCLEAN}\nEOF", 1, IS_UNCLEAN),
    (f"{CREATE}\nkafka-streams-application-reset.sh --application-id a --to-latest", 2,
     "moves the position of an application"),
    (f"{CREATE}\nkafka-streams-application-reset.sh --application-id a", 0, "YES"),
    # settings of single brokers
    (f"{CREATE}\n{OF_BROKER % 1}{UNCLEAN}", 2, "t.sh:3: .*for some brokers by their ids"),
    (f"{CREATE}\n{OF_BROKER % 1}{UNCLEAN}\n{OF_BROKER % 2}{UNCLEAN.replace('true', 'false')}", 2,
     "t.sh:4: .*for some brokers by their ids"),
    (f"{CREATE}\n{OF_BROKER % 1}{UNCLEAN}\n{OF_BROKER % 2}{UNCLEAN}", 1, IS_UNCLEAN),
    (f"{CREATE}\n{OF_BROKER % 1}num.io.threads=16", 0, "YES"),
    # an option of another command
    ("web upgrade --noinput --create-kafka-topics", 2, "Nothing here looks like a file"),
    # clients that tools start
    (f"{CREATE}\nkafka-console-producer.sh --topic a --request-required-acks 0", 0,
     f"acks {OF_TOOL}"),
    (f"{CREATE}\nkafka-console-producer --producer-property acks=1 --topic a", 0,
     f"acks {OF_TOOL}"),
    (f"{CREATE}\nkafka-producer-perf-test --topic a --producer-props bootstrap.servers=b acks=1", 0,
     f"acks {OF_TOOL}"),
    (f"{CREATE}\nkafka-console-consumer --consumer-property auto.offset.reset=latest", 0,
     f"auto.offset.reset {OF_TOOL}"),
    (f"{CREATE}\necho x | kcat -P -t a -X acks=0", 0, f"acks {OF_TOOL}"),
    (f"{CREATE}\nkafka-console-producer --topic a --property parse.key=true --producer-property "
     "client.id=a", 0, "YES"),
    (f"{CREATE}\nkafka-console-consumer --topic a --from-beginning --group g", 0, "YES"),
])  # fmt: skip
def test_a_script_gets_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "t.sh", f"#!/bin/bash\n{text}\n", "", COPIES, code, expected)
