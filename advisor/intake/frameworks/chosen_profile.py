"""The profile in which an application of several runs.

An answer for one of them says nothing about another, so that what they disagree in is refused
until one is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from advisor.catalog import Component, Problem, SettingError
from advisor.intake.intake import Intake
from advisor.intake.reading import Product, Profiles, Reading, StartProfiles
from advisor.intake.text import shown

_MOST_NAMED = 8


def choose(
    reading: Reading, only: Collection[str], started: Sequence[str] = ()
) -> tuple[Reading, Profiles | None, set[str]]:
    """What counts in the profiles that `only` names, and which names those are. Where it names
    none: what counts in those that the application is `started` in, else what counts by itself, and
    the profiles that are to be compared with it."""
    profiles = reading.profiles
    if profiles is None:
        return reading, None, set()
    known = {name for names in profiles.choices for name in names} | {profiles.default}
    if chosen := [name for name in only if name in known]:
        return profiles.read(chosen), None, set(chosen)
    if own := on(reading.start_profiles) or started:
        return (
            replace(profiles.read(own), start_profiles=[], variable_values=reading.variable_values),
            None,
            set(),
        )
    if reading.items or reading.problems or len(profiles.choices) == 1:
        return reading, profiles, set()
    # Without a profile there is nothing of Kafka: such an application is not started.
    rest = dict(list(profiles.choices.items())[1:])
    names, line = next(iter(rest.items()))
    reading = profiles.read(names)
    reading.note(line, f"what counts in {_named(names)} is read")
    return reading, replace(profiles, choices=rest), set()


def on(started: Iterable[StartProfiles]) -> tuple[str, ...]:
    """The profiles that are on, where all applications are started in the same ones."""
    found = {start.profiles for start in started}
    return found.pop() if len(found) == 1 else ()


def differing(
    profiles: Profiles, intake: Intake, product: Product, judge: Callable[[Reading], Intake]
) -> Iterator[Problem]:
    """The first thing in which a profile differs from what `intake` holds, for each profile that
    does. Where none differs, notes say which were compared."""
    first, *others = profiles.choices
    for names in others:
        line, other = profiles.choices[names], judge(profiles.read(names))
        if other.problems:
            problem = other.problems[0]
            yield replace(problem, message=f"{problem.message} That is in {_named(names)}.")
        elif field := _difference(intake, other, product):
            part, _, name = field.partition(".")
            at = other.lines.get(field, line) if field in other.lines else line
            words = f"Line {at}: {name} differs between {_named(first)} and {_named(names)}, and "
            words += f"an application runs in one. {_how_to_go_on(profiles)}"
            yield Problem(Component(part), name, words)
        else:
            words = f"{_named(names)} states nothing else that decides"
            intake.notes.append(f"Line {line}: {words}.")


def _difference(one: Intake, other: Intake, product: Product) -> str:
    """The first field of two values, where what is not stated has its default; else empty."""
    for field in [
        *other.settings,
        *(field for field in one.settings if field not in other.settings),
    ]:
        if _value(one, field, product) != _value(other, field, product):
            return field
    return ""


def _value(intake: Intake, field: str, product: Product) -> object:
    if field in intake.settings:
        return intake.settings[field]
    part, _, name = field.partition(".")
    try:
        return product.setting(Component(part), name).default
    except SettingError:
        return None


def _named(names: Collection[str]) -> str:
    word = "profile" if len(names) == 1 else "profiles"
    return f"{word} {' and '.join(map(shown, names))}"


def _how_to_go_on(profiles: Profiles) -> str:
    options = [" ".join(f"--only {name}" for name in names) for names in profiles.choices]
    more = " …" if len(options) > _MOST_NAMED else ""
    listed = ", ".join(options[:_MOST_NAMED])
    return f"Choose it on the command line: {listed}{more}"
