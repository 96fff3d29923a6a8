"""The pages of the reference. One address for each failure, rule and setting."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from advisor.catalog import Component
from advisor.pages import reference
from advisor.pages.presentation import GRAVITY
from advisor.pages.steps import RESTARTS
from advisor.questions.questionnaire import FAMILIES
from advisor.reasoning.dependence import dependence, events_behind, events_measured_by
from advisor.reasoning.failures import all_events
from advisor.reasoning.levers import ALL as LEVERS
from advisor.reasoning.rules import all_rules

MAX_WORDS = 100
"""Of a search; nobody types more, and every page is held against all of them."""


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every page, or those that a search finds; htmx asks for the list alone."""
    words = request.GET.get("q", "")[:MAX_WORDS]
    kind = request.GET.get("kind", "")
    kind = kind if kind in reference.KINDS else ""
    found = reference.search(words, kind)
    groups = [
        (title, [each for each in found if each.kind == name])
        for name, title in reference.KINDS.items()
    ]
    part = "#found" if request.htmx else ""  # type: ignore[attr-defined]
    context = {
        "words": words, "kind": kind, "kinds": reference.KINDS.items(), "count": len(found),
        "groups": [(title, entries) for title, entries in groups if entries],
    }  # fmt: skip
    page = render(request, f"advisor/reference.html{part}", context)
    page.headers["Vary"] = "HX-Request, Cookie"
    return page


@require_safe
def failure(request: HttpRequest, name: str) -> HttpResponse:
    """One failure event: what it is, what it may do for which client, what it looks at."""
    event = next((each for each in all_events() if each.name == name), None)
    if event is None:
        raise Http404(f"There is no failure {name}")
    found = dependence(event)
    may = [
        (FAMILIES[family][0], sorted(anomalies, key=GRAVITY.index))
        for family, anomalies in found.anomalies.items()
    ]
    absent = [words for family, (words, _) in FAMILIES.items() if family not in event.families]
    settings = sorted(found.settings)
    rules = [rule for rule in all_rules() if (rule.component, rule.setting) in found.settings]
    context = {"event": event, "may": may, "absent": absent, "settings": settings, "rules": rules}
    return render(request, "advisor/reference_failure.html", context)


@require_safe
def rule(request: HttpRequest, code: str) -> HttpResponse:
    """One rule: its docstring, examples on both sides, and the failures behind its setting."""
    found = next((each for each in all_rules() if each.code == code), None)
    if found is None:
        raise Http404(f"There is no rule {code}")
    title, parts = reference.explained(found)
    key = (found.component, found.setting)
    examples = [("Found in", found.invalid), ("Not found in", found.valid)]
    context = {
        "rule": found,
        "title": title,
        "parts": parts,
        "events": events_behind(key),
        "measured": events_measured_by(key),
        "alike": reference.shown_by([found]),
        "field": ".".join(key),
        "examples": examples,
    }
    return render(request, "advisor/reference_rule.html", context)


@require_safe
def setting(request: HttpRequest, component: str, name: str) -> HttpResponse:
    """One setting: every client's and version's own, and what hangs on it."""
    part = Component(component) if component in set(Component) else None
    families = reference.by_family(part, name) if part else ()
    if part is None or not families:
        raise Http404(f"There is no {component} setting {name}")
    known = [span.setting for each in families for span in each.spans if span.setting]
    levers = [each for each in LEVERS if (each.component, each.setting) == (part, name)]
    rules = [each for each in all_rules() if (each.component, each.setting) == (part, name)]
    context = {
        "component": part, "name": name, "families": families,
        "meanings": list(dict.fromkeys(each.meaning or reference.UNWEIGHED for each in known)),
        "sources": list(dict.fromkeys(each.source for each in known)),
        "aliases": list(dict.fromkeys(alias for each in known for alias in each.aliases)),
        "events": events_behind((part, name)), "measured": events_measured_by((part, name)),
        "rules": rules, "alike": reference.shown_by(rules), "field": f"{part}.{name}",
        "procedures": [(RESTARTS[each.procedure.restart], each) for each in levers],
    }  # fmt: skip
    return render(request, "advisor/reference_setting.html", context)
