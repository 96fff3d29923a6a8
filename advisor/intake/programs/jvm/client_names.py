"""Other names of a client in JVM code, beside the one that it is created with."""

from __future__ import annotations

import re
from collections.abc import Collection

TYPE = r"(?:\s*:\s*[\w<>\[\]?., ]{1,80})?"
"""The type of a variable, which Kotlin and Scala may write behind its name."""
_TWICE = 2
"""How often a name is followed into another one."""


def aliases(plain: str, names: Collection[str], made: str) -> set[str]:
    """These names, those of the variables that have the same client (`this.p = p`), and those that
    blocks have for it, Kotlin's `it` included. `made` is the class that makes it."""
    known = {*names}
    for _ in range(_TWICE):  # `val p = makeProducer()`, `this.p = p`
        given = r"(?:\([^(){};]{0,200}\)\s*)?(?=[;\n]|\.\s*(?:also|apply)\b)"
        alias = rf"\b(\w+){TYPE}\s*=\s*(?:this\.)?(?:{_any_of(known)})\s*{given}"
        known |= set(re.findall(alias, plain))
    of = rf"(?:\b{made}\b[^{{}};]{{0,200}}|\b(?:{_any_of(known)})\s*)"
    handed = rf"{of}\.\s*(?:use|let|also)\s*\{{(?:\s*(\w+)\s*->)?"
    return known | {name or "it" for name in re.findall(handed, plain)}


def _any_of(names: Collection[str]) -> str:
    return "|".join(sorted(names)) or "(?!)"
