"""Resources and modules of Terraform that are not read but contain settings of Kafka."""

from __future__ import annotations

import re
from itertools import islice

from advisor.catalog import Component
from advisor.intake.deployments.settings_elsewhere import deciding_settings
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
_COPIES = re.compile(r"(?:^|[{,])[ \t]*replication_factor[ \t]*=", re.MULTILINE)
_ELSEWHERE = (
    "is in a resource or a module that is not read. Remove it if it belongs to another topic or "
    "application; otherwise give it as properties"
)


def refuse_elsewhere(reading: Reading, text: str) -> None:
    """Refuses settings that decide in text that is not read: a chart, a task, a module."""
    for block in _BLOCK.finditer(text):
        following = _NEXT.search(text, block.end())
        ends = following.start() if following else len(text)
        settings = [*islice(deciding_settings(text, block.end(), ends), 1)]
        if copies := _COPIES.search(text, block.end(), ends):
            settings.append((copies.start(), "replication_factor"))
        if settings:
            at, name = min(settings)
            line = line_of(text, at)
            reading.add_problem(Component.APPLICATION, name, line, f"{shown(name)} {_ELSEWHERE}")
