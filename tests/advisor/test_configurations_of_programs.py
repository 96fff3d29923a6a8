"""Programs and files with several clients: which dict a client is handed, and which binder counts.

One row: what is stated, the exit code, and a pattern of what is said.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.test_configurations import TOPIC, C, assert_file

RETRIED = f"{C} application.processing.errors=retry"
READING = (
    f"{TOPIC} application.restart=resumes application.commit=after-processing "
    "application.processing.errors=retry"
)
ALL = '"acks":"all","enable.idempotence":True'
ONE = "acks: 1 -> all"
ELSEWHERE = "what is put into a client's dict here is not known"
DEPENDS = "acks depends on a condition of the program"
PROGRAMS = [
    # line by line
    ('conf = {}\nconf["bootstrap.servers"]="b"\nconf["acks"] = "1"\np=Producer(conf)', 1, ONE),
    ('conf = dict()\nconf["acks"] = "1"\np=Producer(conf)', 1, ONE),
    ('conf = {}\nconf["acks"] = "1"\n', 1, ONE),
    ('conf = {}\nconf.update({"bootstrap.servers":"b","acks":"1"})\np=Producer(conf)', 1, ONE),
    ('KEY="acks"\nconf={"acks":"all"}\nconf[KEY]="1"\nProducer(conf)', 1, ONE),
    ('conf={"acks":"all"}\nconf[KEY]="1"\nProducer(conf)', 2, f":2: {ELSEWHERE}"),
    ('conf={"acks":"all"}\nfor k, v in e.items():\n  conf[k]=v\nProducer(conf)', 2, ELSEWHERE),
    (f'conf={{"acks":"1"}}\ndel conf["acks"]\nconf.update({{{ALL}}})\nProducer(conf)', 0, "YES"),
    ('conf={"acks":"1", "linger.ms":5}\nconf.pop("acks")\nProducer(conf)', 0, "YES"),
    # of parts
    ('base={"acks":"1"}\nconf = {**base, "linger.ms": 5}\np=Producer(conf)', 1, ONE),
    (f'base={{"acks":"1"}}\nconf = {{**base, {ALL}}}\np=Producer(conf)', 0, "YES"),
    (f'base={{{ALL}}}\nconf = {{"acks":"1", **base}}\np=Producer(conf)', 0, "YES"),
    ('from x import base\nconf = {"acks":"all", **base}\np=Producer(conf)', 2, f":2: {ELSEWHERE}"),
    (f'conf={{"acks":"1"}}\nconf |= {{{ALL}}}\nProducer(conf)', 0, "YES"),
    ('conf={"acks":"1"} | {"linger.ms":5}\nProducer(conf)', 1, ONE),
    (f'conf={{"acks":"1"}}\nc=conf.copy()\nc.update({{{ALL}}})\nProducer(c)', 0, "YES"),
    ('cfg={"producer":{"acks":"1"},"consumer":{"group.id":"g"}}\nProducer(cfg["producer"])', 1,
     ONE),
    ('Producer(**{"acks":"1"})', 1, ONE),
    # of functions
    ('def conf():\n    return {"acks":"1"}\np=Producer(conf())', 1, ONE),
    ('def make(c):\n    return Producer(c)\nmake({"bootstrap.servers":"b","acks":"1"})', 1, ONE),
    ('CONF={}\ndef setup():\n    CONF["acks"]="1"\nsetup()\nProducer(CONF)', 1, ONE),
    ('class A:\n  def __init__(self):\n    self.c={}\n    self.c["acks"]="1"\n'
     '    self.p=Producer(self.c)', 1, ONE),
    ('p=Producer(load())\nx={"acks":"all"}', 2, ":1: what this client is given comes from else"),
    # under a condition
    ('conf = {"acks":"all"}\nif fast:\n    conf["acks"]="1"\nProducer(conf)', 2, f":3: {DEPENDS}"),
    ('conf = {"acks":"all"}\nif tls:\n    conf["security.protocol"]="SSL"\nProducer(conf)', 0,
     "YES"),
    ('if a:\n    c={"acks":"1"}\nelse:\n    c={"acks":"all"}\np=Producer(c)', 2, DEPENDS),
    ('if a:\n    c={"acks":"all"}\nelse:\n    c={"acks":"all","client.id":"x"}\nProducer(c)', 0,
     "YES"),
    ('c={"acks":"all"}\ntry:\n    import x\nexcept ImportError:\n    c["acks"]="1"\nProducer(c)', 2,
     DEPENDS),
    ('c={"acks":"1" if fast else "all"}\nProducer(c)', 2, f":1: {DEPENDS}"),
    ('c={}\nif __name__ == "__main__":\n    c["acks"]="1"\n    Producer(c)', 1, ONE),
    ('conf={"acks":os.environ.get("ACKS","1")}\nProducer(conf)', 1, ONE),
    # other clients
    ('c={"bootstrap.servers":"b","acks":"all"}\n'
     'a=AdminClient({"bootstrap.servers":"b","socket.timeout.ms":5})\nProducer(c)', 0, "YES"),
    ('conf={"acks":"all"}\nProducer(conf)\nconf["acks"]="1"\nq=Producer(conf)', 2, "acks differs"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "exit_code", "expected"), PROGRAMS)
def test_the_dict_that_a_client_is_handed_counts(
    tmp_path: Path, code: str, exit_code: int, expected: str
) -> None:
    assert_file(tmp_path / "a.py", code, "", RETRIED, exit_code, expected)


@pytest.mark.parametrize(("reset", "code", "expected"), [
    ('"auto.offset.reset":"earliest",', 0, "YES"), ("", 1, "auto.offset.reset: .* -> earliest"),
])  # fmt: skip
def test_a_part_of_two_clients_counts_for_both(
    tmp_path: Path, reset: str, code: int, expected: str
) -> None:
    text = (
        'common={"bootstrap.servers":"b"}\nProducer({**common,"acks":"all"})\n'
        f'Consumer({{**common,{reset}"group.id":"g","enable.auto.commit":False}})'
    )
    assert_file(tmp_path / "a.py", text, "", READING, code, expected)


OUT = "mp.messaging.outgoing."
CHANNELS = (
    f"{OUT}a.connector=smallrye-kafka\n{OUT}a.acks=1\n{OUT}b.connector=smallrye-kafka\n"
    f"{OUT}b.acks=all\n"
)
TWO = (
    "a = Producer({'bootstrap.servers': 'b', 'acks': '1'})\n"
    "b = Producer({'bootstrap.servers': 'b', 'acks': 'all'})\n"
)
CHOSEN = [
    (CHANNELS, "--only a", 1, ONE),
    (CHANNELS, "--only b", 0, "YES"),
    (CHANNELS.replace("acks=1", "acks=all"), "--only c", 2, "--only 'c': no file has a client"),
    (CHANNELS, "", 2, "choose it on the command line: --only a, --only b"),
    (TWO, "", 2, '--only "line 1", --only "line 2"'),
]


@pytest.mark.parametrize(("text", "options", "code", "expected"), CHOSEN)
def test_one_client_of_several_is_chosen(
    tmp_path: Path, text: str, options: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "a.conf", text, options, RETRIED, code, expected)


BOUND = """spring:
  cloud:
    stream:
      bindings:
        in-in-0: {destination: a, group: g, binder: k1}
        out-out-0: {destination: b, binder: %s, producer: {error-channel-enabled: true}}
      binders:
        k1:
          type: %s
          environment:
            spring:
              cloud.stream.kafka.binder:
                brokers: a
                required-acks: %s
        k2:
          type: kafka
          environment:
            spring.cloud.stream.kafka.binder:
              brokers: z
              required-acks: 1
        r1:
          type: rabbit
          environment:
            spring.rabbitmq.host: x
"""
HEARD = ", producer: {error-channel-enabled: true}"
ENVIRONMENT = "        environment:\n"
AT_ROOT = "spring:\n  kafka:\n    producer:\n      acks: 0\n"
OF_ROOT = BOUND.replace("spring:\n", AT_ROOT, 1).replace("                required-acks: %s\n", "")
ALONE = f"          inherit-environment: false\n  {ENVIRONMENT}"
BINDERS = [
    (BOUND % ("k1", "kafka", "1"), 1, ONE),
    (BOUND % ("k1", "kafka", "all"), 0, "YES"),
    (BOUND % ("k2", "kafka", "all"), 2, "this binder and the one on line 9 differ in"),
    (BOUND.replace(HEARD, "") % ("k1", "kafka", "all"), 1, "delivery.errors: ignored -> handled"),
    (OF_ROOT % ("k1", "kafka"), 1, "acks: 0 -> all"),
    (OF_ROOT.replace(f"  {ENVIRONMENT}", ALONE, 1) % ("k1", "kafka"), 1, ONE),
]


@pytest.mark.parametrize(("text", "code", "expected"), BINDERS)
def test_the_environment_of_a_binder_counts(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    settings = f"{TOPIC} application.processing.errors=retry application.restart=resumes"
    assert_file(tmp_path / "application.yml", text, "", settings, code, expected)


def test_a_binder_in_properties(tmp_path: Path) -> None:
    text = (
        "spring.cloud.stream.binders.k.type=kafka\n"
        "spring.cloud.stream.binders.k.environment.spring.kafka.producer.acks=1\n"
        "spring.cloud.stream.bindings.a-out-0.destination=x\n"
        "spring.cloud.stream.bindings.a-out-0.producer.error-channel-enabled=true\n"
    )
    assert_file(tmp_path / "application.properties", text, "", C, 1, ONE)
