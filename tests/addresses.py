"""Every address of the site with example arguments, for tests that request all of them."""

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

Kwargs = dict[str, str]


def names(patterns: list[URLPattern | URLResolver] | None = None, prefix: str = "") -> list[str]:
    """Every name in the URL configuration, as `reverse` takes it."""
    results = []
    for resolver in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(resolver, URLResolver):
            inner = f"{prefix}{resolver.namespace}:" if resolver.namespace else prefix
            results += names(resolver.url_patterns, inner)
        else:
            results.append(f"{prefix}{resolver.name}")
    return results


def addresses() -> list[tuple[str, str]]:
    """Pairs of name and address, with a finished experiment and one in each other state.

    Fails if a name has no example: add one here for each new address.
    """
    examples = _examples()
    assert sorted(examples) == sorted(set(names())), "tests/addresses.py has an example of each"
    return [(name, reverse(name, kwargs=dict(kwargs))) for name, arguments in examples.items()
            for kwargs in arguments]  # fmt: skip


def _examples() -> dict[str, list[Kwargs]]:
    pipeline, problems = services.from_fields(FIELDS)
    assert pipeline is not None, problems
    slug = str(services.save(pipeline).slug)
    product = exports_for(pipeline, pipeline)[0].name
    runs = [{"slug": experiment.slug} for experiment in make.one_in_each_state()]
    arms = [{**run, "arm": "described"} for run in runs]
    lessons = [{"name": lesson.name} for lesson in all_lessons()]
    steps = [{**lesson, "step": step} for lesson in lessons for step in STEPS]
    challenges = [{"name": challenge.name} for challenge in all_challenges()]
    attempt = Attempt.objects.create(visitor="somebody", challenge=challenges[0]["name"])
    pipelines = [{"slug": slug}]
    series = [{"slug": example.slug} for example in make.series_in_each_state(slug)]
    rooms = [{"code": room.code} for room in make.rooms()]
    return {
        **{name: [{}] for name in _WITHOUT_ARGUMENTS},
        **{f"labs:{name}": runs for name in _RUN_PAGES},
        **{f"labs:{name}": arms for name in ("ledger", "ledger-lines", "message")},
        **{f"labs:lesson-{name}": lessons for name in _LESSON_PAGES},
        **{f"labs:series{name}": series for name in ("", "-live", "-cancel", "-go-on")},
        "labs:scenario-start": [{"name": make.SCENARIO}],
        "labs:lesson": steps,
        **{f"labs:class-{name}": rooms for name in _ROOM_PAGES},
        **{f"labs:challenge{name}": challenges
           for name in ("", "-live", "-answer", "-give-up")},
        "labs:challenge-evidence": [{**challenge, "part": "dump"} for challenge in challenges],
        "labs:challenge-result": [{"slug": attempt.slug}],
        **_incident_examples(),
        **{f"advisor:{name}": pipelines for name in _PIPELINE_PAGES},
        "labs:answer-picture": pipelines,
        "advisor:export": [{"slug": slug, "product": product}],
        **{f"advisor:{name}": [{"step": name} for name in ("client", "producer")]
           for name in ("describe", "card")},
        "concepts:concept": [{"name": "isr"}],
        **{key: [{"name": all_events()[0].name}] for key in _FAILURE_PAGES},
        "reference:rule": [{"code": all_rules()[0].code}],
        "advisories:page": [{"slug": advisories()[0].slug}],
        "reference:setting": [{"component": "producer", "name": "acks"}],
    }  # fmt: skip


def _incident_examples() -> dict[str, list[Kwargs]]:
    first = all_incidents()[0]
    play = {"name": first.slug, "slug": plays.start(first, list(first.releases)).slug}
    incidents = [{"name": incident.slug} for incident in all_incidents()]
    return {
        **{f"labs:{name}": incidents for name in ("incident", "incident-start")},
        **{f"labs:incident-{name}": [play] for name in ("play", "live")},
    }


_FAILURE_PAGES = ("reference:failure", "labs:evidence-failure")

_WITHOUT_ARGUMENTS = (
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
_LESSON_PAGES = ("resume", "live", "turn-live", "reset", "undo")
_RUN_PAGES = (
    "experiment", "live", "cancel", "again", "report", "compare", "repetitions", "repeat", "replay",
    "offline", "picture",
)  # fmt: skip
_ROOM_PAGES = (
    "room", "live", "seats", "predict", "answer", "forward", "run", "close", "remove", "export",
)  # fmt: skip
_PIPELINE_PAGES = (
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
