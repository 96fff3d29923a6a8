"""Resources and modules of Terraform that are not read, and state settings of Kafka's."""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.clients.known_settings import decides
from advisor.intake.clients.sure_names import sure
from advisor.intake.deployments.images import setting_of
from advisor.intake.reading import Reading
from advisor.intake.text import line_of, shown

_BLOCK = re.compile(
    r"^[ \t]*(?:module|resource[ \t]+\""
    r"(?!(?:(?:confluent|aiven)_)?kafka_topic\"|aws_msk_c)\w{1,80}\")"
    r"[ \t]+\"[^\"\n]{1,200}\"",
    re.MULTILINE,
)
_NEXT = re.compile(
    r"^[ \t]*(?:resource|module|data|variable|locals|output|provider)\b", re.MULTILINE
)
_NAME = re.compile(
    r"(?<![\w.-])(?:[A-Za-z][\w-]{0,40}\.){0,8}"
    r"(?P<variable>(?:SPRING_)?KAFKA_\w{3,100}|MP_MESSAGING_\w{3,200})(?=\\?\"|[ \t]*[=:])"
    r"|\"(?:config\.)?(?P<name>[A-Za-z][\w-]{0,30}(?:\.[\w-]{1,30}){1,8})\""
    r"|(?<![\w-])(?:-D|--)(?P<argument>[a-z]{2,20}(?:\.[a-z-]{2,30}){1,8})="
    r"|^[ \t]*(?P<nested>[a-z][a-z.-]{2,40}):[ \t]"
    r"|(?:^|[{,])[ \t]*(?P<plain>replication_factor)[ \t]*=",
    re.MULTILINE,
)
"""A variable, perhaps behind the keys of a chart, a property, an argument, or an entry of YAML."""
_SPRINGS = re.compile(r"^SPRING_KAFKA_(?:PRODUCER_|CONSUMER_)?(?:PROPERTIES_)?")
_ELSEWHERE = (
    "stands in a resource or a module that is not read. Leave it out if it is of another topic or "
    "application, else give it as properties"
)


def refuse_elsewhere(reading: Reading, text: str) -> None:
    """Refuses a setting that decides where it is not read: in a chart, a task, a module."""
    for block in _BLOCK.finditer(text):
        later = _NEXT.search(text, block.end())
        for match in _NAME.finditer(text, block.end(), later.start() if later else len(text)):
            name = match["plain"] or match["name"] or match["argument"] or match["nested"]
            name = name or _of_variable(match["variable"])
            is_sure = match["plain"] or (match["nested"] and sure(name) is not None)
            if is_sure or (not match["nested"] and decides(name)):
                line = line_of(text, match.start())
                reading.wrong(Component.APPLICATION, name, line, f"{shown(name)} {_ELSEWHERE}")
                return


def _of_variable(variable: str) -> str:
    own = _SPRINGS.sub("", variable)
    return own.lower().replace("_", ".") if own != variable else setting_of(variable)
