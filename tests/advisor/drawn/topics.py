"""Topics in resources of Strimzi and Terraform, and applications in systemd units."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.advisor.drawn.effective import OF_TOPIC, TOPIC, VALUES, Drawn, File, Name
from tests.advisor.drawn.texts import Row

_COPIES = (TOPIC, "replication.factor")
_IN_CONFIG = [name for name in OF_TOPIC if name != _COPIES]
_OF_BROKERS = {
    "min.insync.replicas": "min.insync.replicas",
    "unclean.leader.election.enable": "unclean.leader.election.enable",
    "retention.ms": "log.retention.ms",
    "cleanup.policy": "log.cleanup.policy",
}


def _draw_topics(random: Random) -> list[dict[Name, str]]:
    topics = list[dict[Name, str]]()
    for _ in range(random.choice([1, 1, 2])):
        names = random.sample(_IN_CONFIG, random.randint(0, 3))
        settings = {name: random.choice(OF_TOPIC[name]) for name in names}
        topics.append(settings | {_COPIES: random.choice(OF_TOPIC[_COPIES])})
    if len(topics) == 2 and random.random() < 0.5:
        topics[1] = topics[0]
    return topics


def strimzi(random: Random) -> Drawn:
    """A Strimzi cluster with one or two topics."""
    brokers = {name: random.choice(OF_TOPIC[(TOPIC, name)])
               for name in random.sample(list(_OF_BROKERS), random.randint(0, 3))}  # fmt: skip
    topics = _draw_topics(random)
    rows = "".join(f"      {_OF_BROKERS[key]}: {_text(random, value)}\n"
                   for key, value in brokers.items())  # fmt: skip
    config = f"    config:\n      offsets.topic.replication.factor: 3\n{rows}"
    parts = [
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata:\n  name: prod\nspec:\n"
        "  kafka:\n    version: 4.0.0\n    listeners:\n      - name: plain\n        port: 9092\n"
        f"        type: internal\n        tls: false\n{config}",
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaNodePool\nmetadata:\n  name: dual\n"
        "  labels:\n    strimzi.io/cluster: prod\nspec:\n  replicas: 3\n"
        "  roles: [controller, broker]\n  storage:\n    type: persistent-claim\n    size: 10Gi\n",
    ]
    for number, topic in enumerate(topics):
        config_lines = "".join(f"    {key}: {_text(random, value)}\n"
                               for (_, key), value in topic.items()
                               if key != _COPIES[1])  # fmt: skip
        parts.append(
            "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\nmetadata:\n"
            f"  name: orders-{number}\n  labels:\n    strimzi.io/cluster: prod\nspec:\n"
            f"  partitions: 3\n  replicas: {topic[_COPIES]}\n"
            + (f"  config:\n{config_lines}" if config_lines else "")
        )
    random.shuffle(parts)
    of_all = {(TOPIC, key): value for key, value in brokers.items()}
    first, *others = [of_all | topic for topic in topics]
    return Drawn([("kafka.yaml", "---\n".join(parts))], first, OF_TOPIC, others)


def _text(random: Random, value: str) -> str:
    return random.choice([value, f'"{value}"', f"'{value}'"])


@dataclass(slots=True)
class _Module:
    """The variables, the tfvars file and the locals of a module."""

    variables: str = ""
    given: str = ""
    local: str = ""

    def put(self, random: Random, name: str, value: str) -> str:
        """The expression for a value in a resource: a literal, a variable or a local."""
        written = _hcl(value)
        other = {"true": "false", "false": "true", "1": "3", "2": "1"}.get(value, written)
        match random.choice(["", "", "", "default", "given", "local"]):
            case "default":
                self.variables += f'variable "{name}" {{\n  default = {written}\n}}\n'
                return f"var.{name}"
            case "given":
                default = random.choice([f"  default = {other}\n", ""])
                self.variables += f'variable "{name}" {{\n  type = any\n{default}}}\n'
                self.given += f"{name} = {written}\n"
                return f"var.{name}"
            case "local":
                self.local += f"  {name} = {written}\n"
                return f"local.{name}"
            case _:
                return random.choice([written, f'"{value}"'])


def terraform(random: Random) -> Drawn:
    """A module with one or two topics, in one or several files."""
    topics = _draw_topics(random)
    parts, module = list[str](), _Module()
    for number, topic in enumerate(topics):
        rows = [
            (key, module.put(random, f"v{number}_{at}", value))
            for at, ((_, key), value) in enumerate(topic.items())
        ]
        copies = next(value for key, value in rows if key == _COPIES[1])
        config = "".join(f'    "{key}" = {value}\n' for key, value in rows if key != _COPIES[1])
        body = f"  config = {{\n{config}  }}\n" if config else ""
        parts.append(
            f'resource "kafka_topic" "orders{number}" {{\n  name               = "orders{number}"\n'
            f"  partitions         = 3\n  replication_factor = {copies}\n{body}}}\n"
        )
    parts += [module.variables] if module.variables else []
    parts += [f"locals {{\n{module.local}}}\n"] if module.local else []
    random.shuffle(parts)
    files: list[File] = [("main.tf", "\n".join(parts))]
    if random.random() < 0.4:
        files = [(f"file{at}.tf", part) for at, part in enumerate(parts)]
    files += [("terraform.tfvars", module.given)] if module.given else []
    first, *others = topics
    return Drawn(files, first, OF_TOPIC, others)


def terraform_each(random: Random) -> Drawn:
    """One resource with `for_each` over a map of topics."""
    elements = _draw_topics(random)
    if {*elements[0]} != {*elements[-1]}:
        elements = [elements[0]] * 2
    first, *others = elements
    keys = [key for _, key in first]
    short = {key: key.replace(".", "_") for key in keys}
    missing = {key for key in keys if random.random() < 0.2}
    rows = ""
    for number, element in enumerate(elements):
        pairs = [
            f"{short[key]} = {_hcl(element[TOPIC, key])}" for key in keys
            if key not in missing or element[TOPIC, key] != first[TOPIC, key]
        ]  # fmt: skip
        between = random.choice([", ", "\n      "])
        rows += f'    "orders{number}" = {{ {between.join(pairs) or "x = 1"} }}\n'
    uses = {
        key: f'lookup(each.value, "{short[key]}", {_hcl(first[TOPIC, key])})'
        if key in missing else f"each.value.{short[key]}" for key in keys
    }  # fmt: skip
    config = "".join(f'    "{key}" = {uses[key]}\n' for key in keys if key != _COPIES[1])
    place = random.choice(["var", "local", "here", "given"])
    body = f"{{\n{rows}  }}"
    map_expression = {"here": body, "local": "local.topics"}.get(place, "var.topics")
    text = (
        f'resource "kafka_topic" "orders" {{\n  for_each = {map_expression}\n  name = each.key\n'
        f"  partitions = 3\n  replication_factor = {uses[_COPIES[1]]}\n"
        f"  config = {{\n{config}  }}\n}}\n"
    )
    return Drawn(_with_map(text, place, body), first, OF_TOPIC, others)


def _with_map(text: str, place: str, body: str) -> list[File]:
    """The files of a module with the map in this place."""
    match place:
        case "var":
            return [("main.tf", f'{text}variable "topics" {{\n  default = {body}\n}}\n')]
        case "local":
            return [("main.tf", f"locals {{\n  topics = {body}\n}}\n{text}")]
        case "given":
            declared = 'variable "topics" {\n  type = any\n}\n'
            return [("main.tf", f"{text}{declared}"), ("terraform.tfvars", f"topics = {body}\n")]
        case _:
            return [("main.tf", text)]


def _hcl(value: str) -> str:
    return value if value.isdecimal() or value in ("true", "false") else f'"{value}"'


def systemd(random: Random) -> Drawn:
    """A unit with variables of a Spring application, in several places."""
    places = ["first", "again", "file", "later-file", "dropped-in"]
    used = sorted(random.sample(places, random.randint(1, 3)), key=places.index)
    stated, effective = dict[str, list[Row]](), dict[Name, str]()
    order = ["first", "again", "dropped-in", "file", "later-file"]
    for name in random.sample(list(VALUES), random.randint(1, 4)):
        stating = [place for place in used if random.random() < 0.6] or [used[-1]]
        for place in sorted(stating, key=order.index):
            value = random.choice(VALUES[name])
            variable = f"SPRING_KAFKA_{name[0]}_PROPERTIES_{name[1].replace('.', '_')}".upper()
            stated.setdefault(place, []).append((variable, value))
            effective[name] = value
    if any(name[0] == "consumer" for name in effective):
        effective.setdefault(next(n for n in VALUES if n[1] == "enable.auto.commit"), "false")
    unit = "[Unit]\nDescription=Orders\n\n[Service]\n"
    unit += "".join(_lines(random, stated.get(place, [])) for place in ("first", "again"))
    files = list[File]()
    for place, file in (("file", "orders.env"), ("later-file", "more.env")):
        if place in stated:
            unit += f"EnvironmentFile={random.choice(['-', ''])}/etc/orders/{file}\n"
            files.append((file, "".join(f"{key}={value}\n" for key, value in stated[place])))
    unit += "ExecStart=/usr/bin/java -jar /opt/orders.jar\n"
    files.append(("orders.service", unit))
    if "dropped-in" in stated:
        text = f"[Service]\n{_lines(random, stated['dropped-in'])}"
        files.append(("orders.service.d/override.conf", text))
    random.shuffle(files)
    return Drawn(files, effective)


def _lines(random: Random, rows: list[Row]) -> str:
    if not rows:
        return ""
    pairs = [f"{name}={value}" for name, value in rows]
    match random.choice(["each", "quoted", "together", "continued"]):
        case "each":
            return "".join(f"Environment={pair}\n" for pair in pairs)
        case "quoted":
            return "".join(f'Environment="{pair}"\n' for pair in pairs)
        case "together":
            return f"Environment={' '.join(pairs)}\n"
        case _:
            return "Environment=" + " \\\n    ".join(f'"{pair}"' for pair in pairs) + "\n"
