"""Names of a client in JVM code, besides the variable that it is created in."""

from __future__ import annotations

import re
from collections.abc import Collection

TYPE = r"(?:\s*:\s*[\w<>\[\]?., ]{1,80})?"
"""The type of a variable, which Kotlin and Scala may write after its name."""
_ALIAS_DEPTH = 2
"""How many assignments from one variable to another are followed."""


def aliases(plain: str, names: Collection[str], class_name: str) -> set[str]:
    """Returns all names of a client that `class_name` creates: these names, the variables that it
    is assigned to (`this.p = p`), and the parameters of blocks, Kotlin's `it` included."""
    known_names = {*names}
    for _ in range(_ALIAS_DEPTH):  # `val p = makeProducer()`, `this.p = p`
        value_end = r"(?:\([^(){};]{0,200}\)\s*)?(?=[;\n]|\.\s*(?:also|apply)\b)"
        alias = rf"\b(\w+){TYPE}\s*=\s*(?:this\.)?(?:{_any_of(known_names)})\s*{value_end}"
        known_names |= set(re.findall(alias, plain))
    receiver = rf"(?:\b{class_name}\b[^{{}};]{{0,200}}|\b(?:{_any_of(known_names)})\s*)"
    block_parameter = rf"{receiver}\.\s*(?:use|let|also)\s*\{{(?:\s*(\w+)\s*->)?"
    return known_names | {name or "it" for name in re.findall(block_parameter, plain)}


def _any_of(names: Collection[str]) -> str:
    return "|".join(sorted(names)) or "(?!)"
