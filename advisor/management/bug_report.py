"""The known bugs of the described releases as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from advisor.advisories import Upgrade
from advisor.known_bugs import KnownBug, KnownBugs
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.plural import counted

_WIDTH = 100
_NAMED = 3
"""Possible bugs that the short screen names; the gravest go first."""


def bug_report(bugs: KnownBugs, *, verbose: bool = False) -> Iterator[str]:
    """The sure ones with what they leave of the guarantee, the possible ones, and the upgrade."""
    if not bugs.bugs:
        return
    if bugs.sure:
        yield f"{counted(len(bugs.sure), 'known bug')} of these releases:"
        for known_bug in bugs.sure:
            yield from _bug(known_bug, verbose=verbose)
        left = "   ".join(
            f"{boundary.value.replace('_', ' ')}: {bugs.guarantees[boundary]}"
            for boundary in Boundary
        )
        yield f"  With {'it' if len(bugs.sure) == 1 else 'them'}: {left}"
    if bugs.possible:
        shown = bugs.possible if verbose else bugs.possible[:_NAMED]
        yield f"{counted(len(bugs.possible), 'known bug')} that may concern this pipeline:"
        for known_bug in shown:
            yield from _bug(known_bug, verbose=verbose)
        if (left_out := len(bugs.possible) - len(shown)) > 0:
            yield f"  and {left_out} more (--verbose)"
    for upgrade in bugs.upgrades:
        yield from _wrapped(_upgrade(upgrade))


def _bug(known_bug: KnownBug, *, verbose: bool) -> Iterator[str]:
    advisory, hit = known_bug.advisory, known_bug.hit
    yield from _wrapped(f"{advisory.id} {known_bug.severity}: {advisory.title}", "  ")
    may = f"{advisory.part} {hit.running} may add: {', '.join(advisory.anomalies)}"
    yield from _wrapped(may, "      ")
    if hit.unknown:
        yield from _wrapped(f"it takes: {'; '.join(hit.unknown)}", "      ")
    if verbose:
        yield from _wrapped(" ".join(advisory.mechanism), "      ")
        yield from _wrapped(f"Until then: {advisory.workaround}", "      ")
        yield from _wrapped(f"Sources: {', '.join(advisory.sources)}", "      ")


def _upgrade(upgrade: Upgrade) -> str:
    remain = f" No release ends {', '.join(upgrade.remain)}." if upgrade.remain else ""
    if not upgrade.target:
        return f"No upgrade of {upgrade.what} is known to help.{remain}"
    clears = counted(len(upgrade.clears), "known bug")
    target = f"{upgrade.target} or later"
    return f"Upgrade {upgrade.what} {upgrade.running} to {target}: clears {clears}.{remain}"


def _wrapped(text: str, indent: str = "") -> Iterator[str]:
    lines = textwrap.wrap(
        text, _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}    ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    yield from lines
