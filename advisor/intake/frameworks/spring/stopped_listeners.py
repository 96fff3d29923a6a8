"""Listeners that do not start by themselves.

The container of such a listener does not poll before something calls its `start()` (Spring for
Apache Kafka reference, "@KafkaListener Lifecycle Management"). What its settings promise holds from
then on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.intake.clients.placeholders import by_default
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.names import FALSE, relaxed
from advisor.intake.text import line_of

_WORDS = (
    "starts by itself, and nothing is consumed until your code starts it: the answer is for the "
    "time after that"
)
_PROPERTY = re.compile(
    r"spring\.kafka\.(?:listener|(?P<streams>streams))\.autostartup"
    r"|spring\.cloud\.stream\.(?:kafka\.)?(?:bindings\.[^.]+|default)\.consumer\.autostartup"
)
_IN_CODE = re.compile(
    r"\bsetAutoStartup\s*\(\s*false\s*\)|\bautoStartup\s*=\s*(?:\"false\"|false\b)"
)
_STARTED = "KafkaListenerEndpointRegistry"


def stopped_by_settings(leaves: Iterable[Leaf]) -> Iterator[tuple[int, str]]:
    """Yields the line and the words for each property that keeps listeners from starting."""
    for leaf in leaves:
        match = _PROPERTY.fullmatch(relaxed(".".join(leaf.path)))
        if match and by_default(leaf.text).strip().lower() in FALSE:
            who = "Kafka Streams application" if match["streams"] else "listener"
            yield leaf.line, f"auto-startup=false: no {who} {_WORDS}"


def stopped_by_code(code: str) -> Iterator[tuple[int, str]]:
    """Yields the line and the words for the first listener or container that does not start by
    itself; nothing if the code has what starts it. `code` has no comments."""
    match = _IN_CODE.search(code)
    if match and _STARTED not in code:
        yield line_of(code, match.start()), f"autoStartup=false: no such listener {_WORDS}"
