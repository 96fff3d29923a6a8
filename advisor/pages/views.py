"""The questionnaire and the advice. All knowledge is in `services`; all words in templates."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from advisor import services
from advisor.catalog import Problem
from advisor.known_bugs import known_bugs
from advisor.models import Description
from advisor.pages import presentation, take_home
from advisor.pages.presentation import Assumed
from advisor.pages.standing import find_or_404, standing
from advisor.questions import drafts, questionnaire, tabs
from advisor.questions.drafts import Draft
from advisor.questions.forms import StepForm, field_of, in_words
from advisor.questions.question import Step
from advisor.questions.questionnaire import STEPS
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.wish import decisive_assumptions
from advisor.reports.reasons import breaking


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Redirects to the first step of the questionnaire that is not done yet."""
    draft = drafts.load(request.session)
    finished = draft.done
    steps = questionnaire.steps(draft.family)
    first = next((step for step in steps if step.slug not in finished), steps[0])
    return redirect("advisor:describe", first.slug)


@require_http_methods(["GET", "HEAD", "POST"])
def describe(request: HttpRequest, step: str) -> HttpResponse:
    """One step: shown, or answered. A wrong answer comes back as typed, with status 400.

    So does an answer that another tab saved meanwhile, with both and status 409.
    """
    current = _step_or_404(step)
    answers = request.POST.dict()
    drafts.turn_to(request.session, {**request.GET.dict(), **answers}.get("of"))
    draft = drafts.load(request.session)
    if request.method != "POST":
        page = _page(request, current, draft)
        # The browser must request it again after "back": otherwise, its stamp would be outdated.
        add_never_cache_headers(page)
        return page
    if clashes := _clashes(request, current, draft, answers):
        proposed = {**answers, **{clash.name: clash.proposed for clash in clashes}}
        return _page(request, current, draft.answered(current, proposed), 409, (draft, clashes))
    draft = draft.answered(current, answers)
    drafts.save(request.session, draft)
    before, after = questionnaire.neighbours(current, draft.family)
    if request.POST.get("to") == "back" and before:
        return redirect("advisor:describe", before.slug)
    pipeline, problems = _read(draft)
    if not StepForm(current, draft, pipeline, problems).is_valid():
        return _page(request, current, draft, status=400)
    draft = draft.finished(current)
    drafts.save(request.session, draft)
    if after:
        return redirect("advisor:describe", after.slug)
    if pipeline is None or problems:
        return _page(request, current, draft, status=400)
    return redirect("advisor:advice", services.save(pipeline).slug)


@require_POST
def card(request: HttpRequest, step: str) -> HttpResponse:
    """The card for the current input, which is stored so that it survives a reload."""
    current = _step_or_404(step)
    answers = request.POST.dict()
    typed = tabs.changed(answers, tabs.read(answers.get("shown", "")))
    drafts.keep(request.session, current, typed, answers.get("stamp", ""), tabs.page(answers))
    draft = drafts.find(request.session, answers.get("of")).answered(current, answers)
    return render(request, "advisor/describe.html#card", _judged(draft)[1])


@require_POST
def start_over(request: HttpRequest) -> HttpResponse:
    """Empties the questionnaire; the previous answers can be restored."""
    drafts.put_aside(request.session, Draft())
    return redirect("advisor:describe", STEPS[0].slug)


@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    """Restores the previous answers."""
    drafts.take_back(request.session)
    return redirect("advisor:describe", STEPS[0].slug)


def _step_or_404(slug: str) -> Step:
    try:
        return questionnaire.step(slug)
    except KeyError:
        raise Http404(f"The questionnaire has no step {slug}") from None


def _clashes(
    request: HttpRequest, step: Step, draft: Draft, answers: dict[str, str]
) -> tuple[tabs.Clash, ...]:
    typed = drafts.typed_on(request.session, tabs.page(answers))
    return tabs.clashes(step, draft, answers, tabs.read(answers.get("shown", "")), typed)


def _read(draft: Draft) -> tuple[Pipeline | None, list[Problem]]:
    """Returns the pipeline of a draft, and its problems in words for the visitor."""
    pipeline, problems = services.from_fields(draft.flat())
    return pipeline, [in_words(problem, draft) for problem in problems]


def _judged(draft: Draft) -> tuple[Pipeline | None, dict[str, Any]]:
    pipeline, problems = _read(draft)
    fields = draft.flat()
    also = [
        (name, text) for name, text in fields.items()
        if text and "." in name and questionnaire.step_of(name, draft.family) is None
    ]  # fmt: skip
    sound = pipeline is not None and not problems
    return pipeline, {
        "card": presentation.card(services.judgement(pipeline)) if pipeline and sound else None,
        "untouched": not any(draft.fields.values()),
        "problems": problems,
        "left_out": list(draft.unused_answers()),
        "also_stated": also,
    }


def _page(
    request: HttpRequest, step: Step, draft: Draft, status: int = 200,
    clashing: tuple[Draft, tuple[tabs.Clash, ...]] | None = None,
) -> HttpResponse:  # fmt: skip
    """Renders a step. `clashing` has the saved draft and the clashes, if another draft is shown."""
    saved, clashes = clashing or (draft, ())
    pipeline, judged = _judged(draft)
    form = StepForm(step, draft, pipeline, judged["problems"])
    form.is_valid()
    before, after = questionnaire.neighbours(step, draft.family)
    last = after is None
    elsewhere = _elsewhere(step, draft, judged["problems"]) if last else []
    context = {
        **judged, "step": step, "form": form, "draft": draft, "previous": before, "next": after,
        "steps": [(step, step.slug in draft.done) for step in questionnaire.steps(draft.family)],
        "errors": [*form.error_links(), *elsewhere],
        "decided": list(form.decided()), "focus_errors": status == 400,
        "assumed": _assumed_before(step, pipeline) if last and judged["card"] else [],
        "can_take_back": not draft.fields and drafts.can_take_back(request.session),
        "stamp": drafts.stamp(request.session),
        "shown": tabs.shown_answers(step, saved), "page": tabs.new_page(),
        "of": drafts.name(request.session), "two": drafts.has_two(request.session),
        "clashes": [
            (clash, form[clash.name].label) for clash in clashes if clash.name in form.fields
        ],
    }  # fmt: skip
    return render(request, "advisor/describe.html", context, status=status)


def _elsewhere(step: Step, draft: Draft, problems: list[Problem]) -> list[tuple[str, str, str]]:
    """Returns problems of other steps, with links to their fields."""
    links = []
    for problem in problems:
        name = field_of(problem, draft.family)
        place = questionnaire.step_of(name, draft.family) or STEPS[0]
        if place is not step:
            links.append((f"../{place.slug}/#{name}", problem.setting, problem.message))
    return links


def _assumed_before(last: Step, pipeline: Pipeline | None) -> list[tuple[str, Assumed]]:
    """Returns the assumptions for unanswered questions of earlier steps, with links."""
    if pipeline is None:
        return []
    links = []
    for assumption in presentation.assumed(decisive_assumptions(pipeline), pipeline.family):
        place = questionnaire.step_of(assumption.field, pipeline.family)
        if place and place is not last:
            links.append((f"../{place.slug}/#{assumption.field}", assumption))
    return links


@require_safe
def advice(request: HttpRequest, slug: str) -> HttpResponse:
    """The stored advice for a saved pipeline: its guarantees, and the changes."""
    saved = find_or_404(slug)
    context = {**presentation.advice(saved.answer), **standing(saved)}
    context["breaking"] = breaking(saved.answer.judgement)
    context["address"] = request.build_absolute_uri(reverse("advisor:advice", args=[slug]))
    context["keep_days"] = settings.LAB_KEEP_DAYS
    if not context["in_the_way"]:
        context["exports"] = take_home.rendered(request, saved)
    return render(request, "advisor/advice.html", context)


@require_safe
def reasons(request: HttpRequest, slug: str) -> HttpResponse:
    """The reasons for the effects of each failure in the advice."""
    saved = find_or_404(slug)
    happening = [row for row in presentation.matrix(saved.answer.judgement) if row.happens]
    verdict = presentation.verdict(saved.answer, known_bugs(saved.answer))
    context = {"verdict": verdict, "matrix": happening, **standing(saved)}
    return render(request, "advisor/reasons.html", context)


@require_safe
def in_force(request: HttpRequest, slug: str) -> HttpResponse:
    """Every setting that a saved pipeline ran with, stated or not."""
    saved = find_or_404(slug)
    listed = saved.answer.in_force
    context = {
        "verdict": presentation.verdict(saved.answer, known_bugs(saved.answer)),
        "in_force": listed, "stated": sum(setting.stated for setting in listed), **standing(saved),
    }  # fmt: skip
    return render(request, "advisor/settings.html", context)


@require_POST
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Copies a saved pipeline into the questionnaire; the saved one stays as it is.

    It opens at the field `at`, if there is one. A pipeline that the catalog no longer accepts is
    copied as well, and opens at the first step with an invalid answer.
    """
    draft = drafts.from_answers(services.answers(get_object_or_404(Description, slug=slug)))
    drafts.put_aside(request.session, draft)
    at = request.POST.get("at", "")
    if place := questionnaire.step_of(at, draft.family):
        return redirect(f"{reverse('advisor:describe', args=[place.slug])}#{at}")
    _, problems = services.from_fields(draft.flat())
    names = [field_of(problem, draft.family) for problem in problems]
    wrong = [questionnaire.step_of(name, draft.family) for name in names]
    first = next((step for step in STEPS if step in wrong), STEPS[0])
    return redirect("advisor:describe", first.slug)
