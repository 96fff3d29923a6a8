"""Every address of the site, filled in: for tests that ask something of all of them."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, get_resolver, reverse

from advisor import services
from advisor.advisories import advisories
from advisor.export import exports_for
from advisor.reasoning.failures import all_events
from advisor.reasoning.rules import all_rules
from labs.challenges import all_challenges
from labs.incidents import all_incidents
from labs.lessons import STEPS, all_lessons
from labs.models import Attempt
from labs.runs import plays
from tests.labs import make

FIELDS = {"family": "java", "version": "4.3", "kafka": "4.3", "brokers": "3", "producer.acks": "1",
          "need.guarantee": "at-least-once", "need.survive": "1"}  # fmt: skip

Filled = dict[str, str]


def names(patterns: list[URLPattern | URLResolver] | None = None, prefix: str = "") -> list[str]:
    """Every name of the URL table, as `reverse` takes it."""
    results = []
    for resolver in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(resolver, URLResolver):
            inner = f"{prefix}{resolver.namespace}:" if resolver.namespace else prefix
            results += names(resolver.url_patterns, inner)
        else:
            results.append(f"{prefix}{resolver.name}")
    return results


def addresses() -> list[tuple[str, str]]:
    """Name and address, with an experiment that is done and one in each other state behind them.

    A name without an example fails: who adds an address says here what can be asked of it.
    """
    examples = _examples()
    assert sorted(examples) == sorted(set(names())), "tests/addresses.py has an example of each"
    return [(name, reverse(name, kwargs=dict(one))) for name, all_ in examples.items()
            for one in all_]  # fmt: skip


def _examples() -> dict[str, list[Filled]]:
    pipeline, problems = services.from_fields(FIELDS)
    assert pipeline is not None, problems
    slug = str(services.save(pipeline).slug)
    product = exports_for(pipeline, pipeline)[0].name
    runs = [{"slug": made.slug} for made in make.one_in_each_state()]
    arms = [{**run, "arm": "described"} for run in runs]
    lessons = [{"name": lesson.name} for lesson in all_lessons()]
    steps = [{**lesson, "step": step} for lesson in lessons for step in STEPS]
    challenges = [{"name": challenge.name} for challenge in all_challenges()]
    tried = Attempt.objects.create(visitor="somebody", challenge=challenges[0]["name"])
    saved = [{"slug": slug}]
    compared = [{"slug": made.slug} for made in make.series_in_each_state(slug)]
    rooms = [{"code": room.code} for room in make.rooms()]
    return {
        **{name: [{}] for name in _PLAIN},
        **{f"labs:{name}": runs for name in _OF_A_RUN},
        **{f"labs:{name}": arms for name in ("ledger", "ledger-lines", "message")},
        **{f"labs:lesson-{name}": lessons for name in _OF_A_LESSON},
        **{f"labs:series{name}": compared for name in ("", "-live", "-cancel", "-go-on")},
        "labs:scenario-start": [{"name": make.SCENARIO}],
        "labs:lesson": steps,
        **{f"labs:class-{name}": rooms for name in _OF_A_ROOM},
        **{f"labs:challenge{name}": challenges
           for name in ("", "-live", "-answer", "-give-up")},
        "labs:challenge-evidence": [{**challenge, "part": "dump"} for challenge in challenges],
        "labs:challenge-result": [{"slug": tried.slug}],
        **_of_incidents(),
        **{f"advisor:{name}": saved for name in _OF_A_PIPELINE},
        "labs:answer-picture": saved,
        "advisor:export": [{"slug": slug, "product": product}],
        **{f"advisor:{name}": [{"step": name} for name in ("client", "producer")]
           for name in ("describe", "card")},
        "concepts:concept": [{"name": "isr"}],
        **{key: [{"name": all_events()[0].name}] for key in _OF_A_FAILURE},
        "reference:rule": [{"code": all_rules()[0].code}],
        "advisories:page": [{"slug": advisories()[0].slug}],
        "reference:setting": [{"component": "producer", "name": "acks"}],
    }  # fmt: skip


def _of_incidents() -> dict[str, list[Filled]]:
    first = all_incidents()[0]
    play = {"name": first.slug, "slug": plays.start(first, list(first.releases)).slug}
    incidents = [{"name": incident.slug} for incident in all_incidents()]
    return {
        **{f"labs:{name}": incidents for name in ("incident", "incident-start")},
        **{f"labs:incident-{name}": [play] for name in ("play", "live")},
    }


_OF_A_FAILURE = ("reference:failure", "labs:evidence-failure")

_PLAIN = (
    "login", "logout",
    "labs:home", "labs:incidents", "labs:experiments", "labs:start", "labs:conditions",
    "labs:evidence", "labs:lines", "labs:series-start",
    "labs:account", "labs:sign-in", "labs:sign-up", "labs:sign-out", "labs:account-password",
    "labs:account-remove", "labs:challenges", "labs:class", "labs:class-open", "labs:class-join",
    "labs:lessons", "labs:lesson-review", "labs:recorded", "labs:scenarios",
    "labs:toy", "labs:toy-states",
    "labs:toy-start", "concepts:index", "advisor:start", "advisor:start-over", "advisor:undo",
    "advisor:intake",
    "advisor:intake-use", "advisor:live", "reference:index", "advisories:index",
)  # fmt: skip
_OF_A_LESSON = ("resume", "live", "turn-live", "reset", "undo")
_OF_A_RUN = (
    "experiment", "live", "cancel", "again", "report", "compare", "repetitions", "repeat", "replay",
    "offline", "picture",
)  # fmt: skip
_OF_A_ROOM = (
    "room", "live", "seats", "predict", "answer", "forward", "run", "close", "remove", "export",
)  # fmt: skip
_OF_A_PIPELINE = (
    "advice",
    "reasons",
    "in-force",
    "edit",
    "compared",
    "newer",
    "renew",
    "archive",
    "report",
)
