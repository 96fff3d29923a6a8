"""The profile for which an application with several profiles is judged.

An answer for one profile does not hold for another, so that a difference between them is refused
until the user chooses one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from advisor.catalog import Component, Problem, SettingError
from advisor.intake.intake import Intake
from advisor.intake.reading import Product, Profiles, Reading, StartProfiles
from advisor.intake.text import shown

_MAX_LISTED = 8


def choose(
    reading: Reading, only: Collection[str], started: Sequence[str] = ()
) -> tuple[Reading, Profiles | None, set[str]]:
    """Returns a reading, the profiles to compare with it (or None), and the profiles named in
    `only`.

    The reading is that of the profiles in `only`; otherwise of those in which the application is
    `started`; otherwise the one without a chosen profile, which is compared with the others.
    """
    profiles = reading.profiles
    if profiles is None:
        return reading, None, set()
    known_names = {name for names in profiles.choices for name in names} | {profiles.default}
    if chosen := [name for name in only if name in known_names]:
        return profiles.read(chosen), None, set(chosen)
    if start := active_profiles(reading.start_profiles) or started:
        return (
            replace(
                profiles.read(start), start_profiles=[], variable_values=reading.variable_values
            ),
            None,
            set(),
        )
    if reading.items or reading.problems or len(profiles.choices) == 1:
        return reading, profiles, set()
    # Nothing of Kafka is set without a profile: the application is not started so.
    other_choices = dict(list(profiles.choices.items())[1:])
    names, line = next(iter(other_choices.items()))
    reading = profiles.read(names)
    reading.note(line, f"what applies in {_in_words(names)} is read")
    return reading, replace(profiles, choices=other_choices), set()


def active_profiles(started: Iterable[StartProfiles]) -> tuple[str, ...]:
    """Returns the active profiles, if all applications are started in the same ones; otherwise an
    empty tuple."""
    distinct = {start.profiles for start in started}
    return distinct.pop() if len(distinct) == 1 else ()


def compare_profiles(
    profiles: Profiles, intake: Intake, product: Product, judge: Callable[[Reading], Intake]
) -> Iterator[Problem]:
    """Yields a problem for each profile with another value than `intake`, for the first such field.
    Adds a note to `intake` for each profile without a difference."""
    first, *others = profiles.choices
    for names in others:
        line, other = profiles.choices[names], judge(profiles.read(names))
        if other.problems:
            problem = other.problems[0]
            yield replace(problem, message=f"{problem.message} That is in {_in_words(names)}.")
        elif field := _difference(intake, other, product):
            component, _, name = field.partition(".")
            place = other.lines.get(field, line) if field in other.lines else line
            both = f"{_in_words(first)} and {_in_words(names)}"
            words = f"Line {place}: {name} differs between {both}, and an application runs in one. "
            words += _how_to_choose(profiles)
            yield Problem(Component(component), name, words)
        else:
            words = f"{_in_words(names)} sets nothing else that decides"
            intake.notes.append(f"Line {line}: {words}.")


def _difference(one: Intake, other: Intake, product: Product) -> str:
    """Returns the first field with two values, where a field that is not set has its default; empty
    if there is none."""
    for field in [
        *other.settings,
        *(field for field in one.settings if field not in other.settings),
    ]:
        if _effective_value(one, field, product) != _effective_value(other, field, product):
            return field
    return ""


def _effective_value(intake: Intake, field: str, product: Product) -> object:
    if field in intake.settings:
        return intake.settings[field]
    component, _, name = field.partition(".")
    try:
        return product.setting(Component(component), name).default
    except SettingError:
        return None


def _in_words(names: Collection[str]) -> str:
    word = "profile" if len(names) == 1 else "profiles"
    return f"{word} {' and '.join(map(shown, names))}"


def _how_to_choose(profiles: Profiles) -> str:
    options = [" ".join(f"--only {name}" for name in names) for names in profiles.choices]
    more = " …" if len(options) > _MAX_LISTED else ""
    listed = ", ".join(options[:_MAX_LISTED])
    return f"Choose it on the command line: {listed}{more}"
