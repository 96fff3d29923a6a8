"""The pages of the reference. One address for each failure, rule and setting."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from advisor.catalog import Component
from advisor.pages import reference
from advisor.pages.steps import RESTARTS
from advisor.questions.questionnaire import FAMILIES
from advisor.reasoning.dependence import dependence, events_depending_on, events_measured_by
from advisor.reasoning.failures import all_events
from advisor.reasoning.finding import explained
from advisor.reasoning.guarantees import GRAVITY
from advisor.reasoning.levers import ALL as LEVERS
from advisor.reasoning.rules import all_rules

MAX_WORDS = 100
"""The maximum length of a search; every page is compared with all of its words."""


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every page, or those that match a search; htmx requests only the list."""
    words = request.GET.get("q", "").strip()[:MAX_WORDS]
    kind = request.GET.get("kind", "")
    kind = kind if kind in reference.KINDS else ""
    entries = reference.search(words, kind)
    groups = [
        (title, [entry for entry in entries if entry.kind == name])
        for name, title in reference.KINDS.items()
    ]
    part = "#found" if request.htmx else ""  # type: ignore[attr-defined]
    context = {
        "words": words, "kind": kind, "kinds": reference.KINDS.items(), "count": len(entries),
        "groups": [(title, entries) for title, entries in groups if entries],
    }  # fmt: skip
    page = render(request, f"advisor/reference.html{part}", context)
    page.headers["Vary"] = "HX-Request, Cookie"
    return page


@require_safe
def failure(request: HttpRequest, name: str) -> HttpResponse:
    """One failure event: its story, its effects by client, and the settings it depends on."""
    event = next((event for event in all_events() if event.name == name), None)
    if event is None:
        raise Http404(f"There is no failure {name}")
    keys = dependence(event)
    may = [
        (FAMILIES[family][0], sorted(anomalies, key=GRAVITY.index))
        for family, anomalies in keys.anomalies.items()
    ]
    absent = [words for family, (words, _) in FAMILIES.items() if family not in event.families]
    settings = sorted(keys.settings)
    rules = [rule for rule in all_rules() if (rule.component, rule.setting) in keys.settings]
    context = {"event": event, "may": may, "absent": absent, "settings": settings, "rules": rules}
    return render(request, "advisor/reference_failure.html", context)


@require_safe
def rule(request: HttpRequest, code: str) -> HttpResponse:
    """One rule: its docstring, examples on both sides, and the failures behind its setting."""
    rule = next((item for item in all_rules() if item.code == code), None)
    if rule is None:
        raise Http404(f"There is no rule {code}")
    title, parts = explained(rule)
    key = (rule.component, rule.setting)
    examples = [("Found in", rule.invalid), ("Not found in", rule.valid)]
    context = {
        "rule": rule,
        "title": title,
        "parts": parts,
        "events": events_depending_on(key),
        "measured": events_measured_by(key),
        "alike": reference.shown_by([rule]),
        "field": ".".join(key),
        "examples": examples,
    }
    return render(request, "advisor/reference_rule.html", context)


@require_safe
def setting(request: HttpRequest, component: str, name: str) -> HttpResponse:
    """One setting: its variants by client and version, and what depends on it."""
    part = Component(component) if component in set(Component) else None
    families = reference.by_family(part, name) if part else ()
    if part is None or not families:
        raise Http404(f"There is no {component} setting {name}")
    settings = [span.setting for family in families for span in family.spans if span.setting]
    levers = [lever for lever in LEVERS if (lever.component, lever.setting) == (part, name)]
    rules = [rule for rule in all_rules() if (rule.component, rule.setting) == (part, name)]
    context = {
        "component": part, "name": name, "families": families,
        "meanings": reference.meanings(families),
        "sources": list(dict.fromkeys(setting.source for setting in settings)),
        "aliases": list(dict.fromkeys(alias for setting in settings for alias in setting.aliases)),
        "events": events_depending_on((part, name)), "measured": events_measured_by((part, name)),
        "rules": rules, "alike": reference.shown_by(rules), "field": f"{part}.{name}",
        "procedures": [(RESTARTS[lever.procedure.restart], lever) for lever in levers],
    }  # fmt: skip
    return render(request, "advisor/reference_setting.html", context)
