"""Names that must be unique per instance, in a file with which several instances start.

Sources: KIP-98 (a producer fences the other producer with its transactional.id); spring-kafka
reference, Transactions (the prefix must be unique per instance); Quarkus and SmallRye, Kafka
Transactions (`transactional.id` of a channel).
"""

from __future__ import annotations

import re

from advisor.intake.clients.generated_names import is_generated
from advisor.intake.reading import Reading

_INSTANCE_PLACEHOLDER = re.compile(
    r"\$\{[^}]*(?:host|pod|instance|index|ordinal|node|task|replica)[^}]*\}", re.IGNORECASE
)


def note_transactional_id(reading: Reading, name: str, text: str, line: int) -> None:
    """Adds a note on the consequences of a transactional.id, or a prefix of one, that all instances
    share, or that changes at each start."""
    if is_generated(text):
        words = f"{name} is new at each start: nobody aborts the open transaction of an instance "
        reading.note(line, f"{words}that died, and readers wait for transaction.timeout.ms")
    elif not _INSTANCE_PLACEHOLDER.search(text):
        words = (
            f"{name} is the same for each instance that has this file: two instances fence each "
        )
        words += "other in turn; make it unique, for example with ${HOSTNAME}, if there are several"
        reading.note(line, words)
