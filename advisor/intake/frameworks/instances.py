"""What a file that several instances start with says of a name that each needs for itself.

Sources: KIP-98 (a producer with a name that another one has fences that one); spring-kafka
reference, Transactions (the prefix must be unique per instance); Quarkus and SmallRye, Kafka
Transactions (`transactional.id` of a channel).
"""

from __future__ import annotations

import re

from advisor.intake.clients.generated_names import is_new
from advisor.intake.reading import Reading

_OWN = re.compile(
    r"\$\{[^}]*(?:host|pod|instance|index|ordinal|node|task|replica)[^}]*\}", re.IGNORECASE
)


def note_transactional_id(reading: Reading, name: str, text: str, line: int) -> None:
    """Notes what follows where a transactional.id, or the beginning of one, is every instance's, or
    new at each start."""
    if is_new(text):
        words = (
            f"{name} is new at each start: nobody ends what an instance that died left open, and "
        )
        reading.note(line, f"{words}its readers wait for transaction.timeout.ms")
    elif not _OWN.search(text):
        words = f"{name} is the same for each instance that has this file: with two of them they "
        words += "fence each other in turn; give each its own, such as with ${HOSTNAME}, if there "
        reading.note(line, f"{words}are several")
