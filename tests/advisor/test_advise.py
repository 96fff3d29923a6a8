"""`manage.py advise`: its input files and options, its output and its exit codes."""

from __future__ import annotations

import json
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command


def run(*arguments: str) -> tuple[object, str, str]:
    """Exit code, standard output, standard error."""
    out, err = StringIO(), StringIO()
    code: object = 0
    try:
        call_command("advise", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        code = end.code
    return code, out.getvalue(), err.getvalue()


def advise(*arguments: str) -> str:
    return run(*arguments)[1]


def refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as error:
        run(*arguments)
    assert error.value.returncode == 2
    return str(error.value)


@pytest.fixture
def write(tmp_path: Path):
    def write_file(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write_file


def test_a_file_per_component_describes_a_pipeline(write):
    producer = write("producer.properties", "bootstrap.servers=a:9092\nacks=1\n")
    topic = write("topic.properties", "replication.factor=3\nmin.insync.replicas=2\n")

    advice = json.loads(advise("--producer", producer, "--topic", topic, "--json"))

    assert advice["guarantee"]["producer_to_log"] == "none"
    assert {change["setting"]: change["to"] for change in advice["changes"]} == {
        "acks": "all",
        "auto.offset.reset": "earliest",
    }


def test_options_override_a_pipeline_in_toml(write):
    path = write("pipeline.toml", """
        family = "librdkafka"
        brokers = 3
        [need]
        guarantee = "at-most-once"
        [producer]
        enable.idempotence = true
        "message.timeout.ms" = 120000
        [application]
        commit = "after-processing"
        [consumer]
        enable.auto.commit = false
    """)  # fmt: skip
    text = advise("--pipeline", path, "--want", "exactly-once", "--survive", "0")

    assert "changes for exactly-once:" in text
    assert "application.sink: plain -> idempotent" in text


def test_options_of_spark_apply_to_its_source_or_its_sink(write):
    path = write("spark.properties", "kafka.acks=1\nstartingOffsets=earliest\nsubscribe=orders\n")
    advice = json.loads(advise("--spark", path, "--json"))

    assert "P003" in {finding["code"] for finding in advice["findings"]}
    assert "C001" not in {finding["code"] for finding in advice["findings"]}


@pytest.mark.parametrize(("text", "line", "words"), [
    ("# comment\nacks=2\n", 2, "acks must be one of"),
    ("linger.ms=1\n\nenable.idempotance=true\n", 3, "Did you mean enable.idempotence?"),
    ("acks=\\\n   1\nenable.idempotence=true\n", 1, "acks"),
    ("retries=1\\n2\n", 1, "newline"),
])  # fmt: skip
def test_an_invalid_setting_is_reported_with_file_and_line(write, text: str, line: int, words: str):
    path = write("producer.properties", text)
    message = refused("--producer", path)
    assert f"{path}:{line}: " in message
    assert words in message


def test_a_problem_is_reported_at_the_line_of_the_name_as_written(write):
    path = write(
        "producer.properties", "acks=all\nmessage.timeout.ms=3\nqueue.buffering.max.ms=5\n"
    )
    message = refused("--client", "librdkafka", "--producer", path)
    assert message.startswith(f"{path}:3: ")


@pytest.mark.parametrize("arguments", [
    ("--client", "sarama"), ("--kafka", "1.0"), ("--brokers", "0"), ("--want", "twice"),
    ("--survive", "some"), ("--producer", "missing.properties"),
    ("--pipeline", "missing.toml"), ("--client-version", "0.9"),
])  # fmt: skip
def test_invalid_options_exit_with_2_and_name_the_option_or_the_file(arguments: tuple[str, str]):
    assert refused(*arguments).startswith((arguments[0], arguments[1]))


def test_a_streams_file_is_recognised(write):
    text = "application.id=orders\nprocessing.guarantee=exactly_once_v2\nproducer.acks=1\n"
    path = write("streams.properties", text)
    assert refused("--streams", path).startswith(f"{path}:3: Must set acks to all")
    assert refused(path).startswith(f"{path}:3: Must set acks to all")


@pytest.mark.parametrize("text", ["acks = ", "[producer]\nacks = [1]\n", "x = 2020-01-01\n"])
def test_invalid_toml_is_refused_with_its_file_name(write, text: str):
    path = write("pipeline.toml", text)
    assert refused("--pipeline", path).startswith(path)


def test_a_binary_or_too_large_file_is_refused(tmp_path: Path):
    binary = tmp_path / "binary.properties"
    binary.write_bytes(b"\xfe\xfd\x00")
    assert f"{binary}:1: this is not text in UTF-8." in refused("--producer", str(binary))
    large = tmp_path / "large.properties"
    large.write_text("#" * 1_100_000)
    assert "longer than" in refused("--producer", str(large))


@pytest.mark.parametrize("text", ["", "\n", "# nothing yet\n\n ! so far\n"])
def test_a_file_without_settings_means_the_defaults(write, text: str):
    producer = write("producer.properties", text)
    assert advise("--producer", producer) == advise()


def test_the_text_names_the_assumed_values(write):
    producer = write("producer.properties", "acks=1\n")
    assert "topic.replication.factor=1, " in advise("--producer", producer)
    topic = write("topic.properties", "replication.factor=3\n")
    assert "replication.factor=1" not in advise("--producer", producer, "--topic", topic)


def test_files_of_several_kinds_describe_one_pipeline(write):
    spring = write("application.yml", "spring:\n  kafka:\n    producer:\n      acks: 1\n")
    topic = write("topic.txt", "Topic: a\tPartitionCount: 1\tReplicationFactor: 1\tConfigs:\n")
    advice = json.loads(advise(spring, topic, "--format", "json"))
    changes = {change["setting"]: change["from"] for change in advice["changes"]}
    assert changes["acks"] == "1"
    assert changes["replication.factor"] == 1


def test_the_kind_of_a_file_can_be_stated(write):
    path = write("settings", "min.insync.replicas=2\n")
    advise(path, "--kind", "topic-properties", "--json")
    assert refused(path, "--kind", "carrier-pigeon").startswith("--kind:")


def test_files_for_two_clients_are_refused_unless_the_client_is_stated(write):
    spring = write("application.yml", "spring.kafka.producer.acks=1\n")
    python = write("client.py", "conf = {'acks': 1}\n")
    assert "is for librdkafka, and" in refused(spring, python)
    advise("--client", "librdkafka", spring, python)


SAFE_FILES = {
    "topic.properties": "replication.factor=3\nmin.insync.replicas=2\n",
    "consumer.properties": "auto.offset.reset=earliest\n",
}


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
@pytest.mark.parametrize(("acks", "wish", "code"), [
    ("1", ["--want", "at-least-once"], 1),
    ("all", ["--want", "at-least-once"], 0),
    ("all", ["--want", "exactly-once"], 1),
    ("all", ["--want", "at-least-once", "--survive", "2"], 1),
    ("1", ["--want", "none", "--survive", "0"], 0),
    # Without a stated wish: at-least-once with one broker lost, as the report says.
    ("1", [], 1),
    ("all", [], 0),
    ("1", ["--survive", "0"], 1),
])  # fmt: skip
def test_the_exit_code_tells_whether_the_wish_is_met(
    write, form: str, acks: str, wish: list[str], code: int
):
    files = SAFE_FILES | {"producer.properties": f"acks={acks}\n"}
    paths = [f"--{name.partition('.')[0]}={write(name, text)}" for name, text in files.items()]
    result, out, err = run(*paths, *wish, "--format", form)
    assert result == code
    assert out
    assert ("--want was not stated: at-least-once is taken." in err) == ("--want" not in wish)
    assert ("--survive was not stated: 1 is taken." in err) == ("--survive" not in wish)


def test_an_option_overrides_the_wish_of_the_file(write):
    path = write("p.toml", '[need]\nguarantee = "none"\nsurvive = 0\n[producer]\nacks = "1"\n')
    assert run(path)[0] == 0
    assert run(path)[2] == ""
    assert run(path, "--want", "at-least-once")[0] == 1


def test_notes_never_repeat_a_secret(write):
    path = write("producer.properties", "acks=1\nsasl.password=hunter2\n")
    err = run(path)[2]
    assert f"{path}:2: sasl.password is a credential: dropped, not read." in err
    assert "hunter2" not in err


@pytest.mark.parametrize("place", [["-"], ["--producer", "-"]])
def test_a_file_can_be_read_from_standard_input(monkeypatch: pytest.MonkeyPatch, place: list[str]):
    piped = TextIOWrapper(BytesIO(b"acks=1\nsasl.password=hunter2\n"))
    monkeypatch.setattr("sys.stdin", piped)
    code, out, err = run(*place, "--want", "at-least-once", "--json")
    assert code == 1
    assert "-:2: sasl.password is a credential: dropped, not read." in err
    assert '"from": "1"' in out


def test_a_directory_or_a_missing_file_is_refused(tmp_path: Path):
    assert refused(str(tmp_path)) == f"{tmp_path}: Is a directory."
    assert refused(str(tmp_path / "none")) == f"{tmp_path / 'none'}: No such file or directory."


def test_the_text_is_one_screen_with_the_verdict_first(write):
    producer = write("producer.properties", "acks=1\n")
    lines = advise("--producer", producer).splitlines()
    assert lines[0] == "NO: at-least-once, with 1 broker lost for good."
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    assert "For java 4.3 clients and 3 brokers of Kafka 4.3." in lines
    headings = ("4 changes for", "What breaks at-least-once:", "For java", "Assumed,", "Every fail")
    places = [
        next(n for n, line in enumerate(lines) if line.startswith(heading)) for heading in headings
    ]
    assert places == sorted(places)


WEAK = [
    "producer.acks=1", "producer.retries=0", "producer.delivery.timeout.ms=31000",
    "topic.unclean.leader.election.enable=true", "topic.retention.ms=100000",
    "broker.offsets.topic.replication.factor=1", "application.restart=forgets",
    "application.delivery.errors=ignored", "application.commit=before-processing",
    "application.processing.errors=skip", "application.topic.recreated=while-running",
    "application.resend=on-error", "application.racks=2", "topic.max.message.bytes=100",
    "broker.broker.session.timeout.ms=2000", "topic.message.timestamp.before.max.ms=1000",
]  # fmt: skip


@pytest.mark.parametrize("count", range(4, len(WEAK) + 1, 4))
@pytest.mark.parametrize("want", ["at-least-once", "exactly-once"])
def test_many_changes_fit_on_one_screen(count: int, want: str) -> None:
    stated = [argument for setting in WEAK[:count] for argument in ("--set", setting)]
    text = advise("--kafka", "3.6", "--want", want, "--ordering", *stated)
    lines = text.splitlines()
    assert len(lines) <= 40, text
    assert max(map(len, lines)) <= 100, text
    changes = [line for line in lines if " -> " in line]
    assert len(changes) >= min(count, 10), text
    assert "What breaks" in text
    assert "Assumed, and it decides" in text


def test_verbose_prints_each_reason_once_and_losses_before_outages(write):
    producer = write("producer.properties", "acks=1\n")
    text = advise("--producer", producer, "--verbose")
    assert text.count("replication.factor=1: no other broker can lead until this one is back.") == 1
    assert text.index("\n  lost_write") < text.index("\n  duplicate") < text.index("\n  blocked")
    assert "In numbers:" in text
    assert "In numbers:" not in advise("--producer", producer)


def test_a_wish_that_is_met_gets_yes(write):
    paths = [f"--{name.partition('.')[0]}={write(name, text)}" for name, text in SAFE_FILES.items()]
    text = advise(*paths)
    assert text.startswith("YES: at-least-once")
    assert "What breaks" not in text


def test_findings_are_shown_although_the_wish_is_met() -> None:
    """The section of the findings is printed only if there are findings."""
    stated = [
        "topic.replication.factor=3", "topic.min.insync.replicas=2", "application.restart=resumes",
        "consumer.auto.offset.reset=earliest", "application.commit=after-processing",
        "consumer.enable.auto.commit=false",
    ]  # fmt: skip
    holds = [argument for setting in stated for argument in ("--set", setting)]
    assert "Found in the settings" not in advise(*holds)
    temporary = ["--set", "broker.log.dirs=/tmp/kafka"]
    screen = advise(*holds, *temporary)
    assert "\nFound in the settings:\n  B007 high: log.dirs=/tmp: " in screen
    crowded = advise(*holds, *temporary, "--kafka", "3.3", "--client-version", "2.8")
    assert crowded.count("\n") <= 40
    assert "Found in the settings" not in advise("--set", "producer.acks=1", *holds)


def test_a_setting_with_which_nothing_works_gets_one_proposed_value() -> None:
    """The screen once proposed two values: `Set it to 300000` and `4 -> 120000`."""
    hopeless = ("--client", "librdkafka", "--set", "producer.message.timeout.ms=4")
    screen = advise(*hopeless, "--set", "topic.replication.factor=3")
    assert screen.startswith("CANNOT WORK")
    assert "delivery.timeout.ms: 4 -> " in screen
    assert "Before anything else" not in screen


def test_the_common_beginning_of_several_reasons_is_printed_once() -> None:
    """Three reasons for one setting once repeated the same sentence."""
    stated = (
        "topic.replication.factor=3", "topic.min.insync.replicas=2", "producer.retries=5",
        "consumer.auto.offset.reset=earliest",
    )  # fmt: skip
    screen = advise(*(argument for setting in stated for argument in ("--set", setting)))
    assert screen.count("retries=5 may be used up in 2,000 ms") == 1
    words = " ".join(screen.split())
    assert "less 20 %). The wait for a new leader lasts up to 10,000 ms. A pause for" in words
    assert "No change is needed.\n" in advise("--want", "none")


def test_only_the_first_unknown_names_are_printed_and_the_others_counted(write):
    names = "".join(f"orders.topic{number}.name=a\n" for number in range(5))
    producer = write("producer.properties", f"acks=1\n{names}")
    err = run("--producer", producer)[2]
    assert "orders.topic1.name is not a known setting of Kafka" in err
    assert "orders.topic2.name" not in err
    assert "3 more names are not known settings of Kafka (--verbose)." in err
    verbose_output = run("--producer", producer, "--verbose")[2]
    assert "orders.topic4.name is not a known setting" in verbose_output


def test_settings_without_effect_are_counted_and_other_notes_printed(write):
    without_effect = "client.id=a\ncompression.type=gzip\nreceive.buffer.bytes=65536\n"
    producer = write("producer.properties", f"{without_effect}a.b=1\nsasl.password=x\n")
    err = run("--producer", producer)[2]
    assert "3 settings that no guarantee depends on are left out (--verbose)." in err
    assert "compression.type" not in err
    assert "a.b is not a known setting" in err
    assert "sasl.password is a credential" in err
    assert (
        "compression.type is not taken into account." in run("--producer", producer, "--verbose")[2]
    )


def test_the_assumed_client_version_is_printed_if_only_the_brokers_is_stated(write) -> None:
    path = write("producer.properties", "acks=all\n")
    words = "--client-version was not stated: java 4.3 is taken, and another may change the answer."
    assert words in run(path, "--kafka", "3.9")[2]
    assert words not in run(path, "--kafka", "3.9", "--client-version", "4.3")[2]


def test_two_spellings_of_one_value_do_not_disagree(write) -> None:
    properties, toml = (
        write("a.properties", "acks=-1\n"),
        write("b.toml", '[producer]\nacks = "all"\n'),
    )
    assert "disagree" not in run(properties, toml)[2]
    differs = write("c.toml", '[producer]\nacks = "1"\n')
    assert "the two disagree" in run(properties, differs)[2]


def test_a_set_option_overrides_a_file(write) -> None:
    name = write("producer.properties", "acks=all\n")
    text = advise("--producer", name, "--set", "producer.acks=1", "--json")
    assert json.loads(text)["guarantee"]["producer_to_log"] == "none"


def test_the_last_of_two_set_options_counts_with_a_note() -> None:
    note = "--set: producer.acks is stated twice, and the last one counts."
    assert note in run("--set", "producer.acks=all", "--set", "producer.acks=1")[2]
    assert note not in run("--set", "producer.acks=1", "--set", "producer.acks=1")[2]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("acks=1", "write COMPONENT.KEY=VALUE"),
        ("producer.acks", "write COMPONENT.KEY=VALUE"),
        ("producer.akcs=1", "Did you mean acks?"),
        ("nobody.acks=1", "nobody"),
    ],
)
def test_an_invalid_set_option_is_refused(option: str, message: str) -> None:
    assert message in refused("--set", option)


@pytest.mark.parametrize("command", ["advise", "scenarios", "verify", "doctor"])
def test_options_cannot_be_abbreviated(command: str) -> None:
    """`--setting` once meant Django's `--settings`, and the answer ignored the setting."""
    with pytest.raises(CommandError, match="unrecognized arguments: --setting"):
        call_command(command, "--setting", "producer.acks=1")


@pytest.mark.parametrize("option", ["--producer", "--consumer", "--spark", "--kafka", "--want"])
def test_a_repeated_option_is_refused(option):
    with pytest.raises(CommandError, match=f"{option} is stated twice: leave one"):
        run(option, "a", option, "b")
