"""Settings from a user's files: read, shown, and used only after confirmation.

Nothing that was sent is stored. The settings, without secrets, are sent to the user and back in the
confirmation form, and the catalog judges them again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from advisor import live, services
from advisor.catalog import Family
from advisor.intake import MARK, MAX_BYTES, all_readers, find_reader, short_name
from advisor.intake.file_text import FileProblem, decoded
from advisor.intake.inputs import Inputs
from advisor.intake.origins import Origin
from advisor.pages.earlier_values import (
    CHOSEN,
    HEADS,
    Earlier,
    add_read_before,
    find_replaced,
    sent,
)
from advisor.questions import drafts
from advisor.questions.drafts import Draft
from advisor.questions.questionnaire import FAMILIES, STEPS
from advisor.reasoning.plural import counted

PASTED = "Pasted text"
MAX_FILES = 10


@dataclass(frozen=True, slots=True)
class Row:
    """One answer that was read: its field, its name, its value as sent and in words, and its
    origin. `earlier` is the value that it replaces, if it differs."""

    field: str
    part: str
    name: str
    value: str
    words: str
    origin: Origin
    earlier: Earlier | None


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
def intake(request: HttpRequest) -> HttpResponse:
    """The page that accepts files; it reads and shows them, and stores nothing."""
    if request.method != "POST":
        return _page(request, {})
    return confirm(request, _read(request))


def confirm(request: HttpRequest, inputs: Inputs) -> HttpResponse:
    """Shows what was read, and the form that takes it over; status 400 if there are problems."""
    before = drafts.load(request.session)
    draft = _merged(before, inputs.fields)
    pipeline, problems = services.from_fields(draft.flat())
    idle = dict(draft.unused_answers()).keys() - dict(before.unused_answers()).keys()
    rows = list(_rows(inputs, find_replaced(request, inputs, before)))
    context = {
        "inputs": inputs, "rows": rows, "changed": [row for row in rows if row.earlier],
        "problems": problems, "idle": sorted(idle),
        "sound": pipeline is not None, "others": _remaining_answers(before, inputs, idle),
    }  # fmt: skip
    return _page(request, context, status=400 if inputs.problems else 200)


@require_POST
def use(request: HttpRequest) -> HttpResponse:
    """Copies the read settings into the questionnaire; redirects to the advice if possible."""
    answers = {**sent(request), **sent(request, CHOSEN)}
    draft = _merged(drafts.load(request.session), answers)
    drafts.put_aside(request.session, draft, another=False)
    pipeline, problems = services.from_fields(draft.flat())
    if request.POST.get("to") == "advice" and pipeline is not None and not problems:
        return redirect("advisor:advice", services.save(pipeline).slug)
    messages.success(request, f"{counted(len(answers), 'answer')} taken over.")
    return redirect("advisor:describe", STEPS[0].slug)


@sensitive_variables("text", "sources")
def _read(request: HttpRequest) -> Inputs:
    inputs = Inputs()
    family = request.POST.get("family", "")
    if family in set(Family):
        inputs.set_field("family", family, Origin("your choice"))
    add_read_before(request, inputs)
    kind = request.POST.get("kind", "")
    try:
        sources = list(_sources(request))
        inputs.add_texts(sources, kind if find_reader(kind) else "")
        inputs.drop_answered(drafts.load(request.session).fields)
        if not sources:
            inputs.problems.append(f"Nothing was sent, or a file of more than {MAX_BYTES} bytes.")
    except FileProblem as error:
        inputs.problems.append(str(error))
    return inputs


def _sources(request: HttpRequest) -> Iterator[tuple[str, str]]:
    """Yields pasted and uploaded text: (name, text). Raises `FileProblem`."""
    pasted = request.POST.get("text", "").removeprefix(MARK)
    if pasted.strip():
        yield PASTED, pasted
    files: Iterable[UploadedFile] = request.FILES.getlist("files")
    for count, file in enumerate(files):
        if count >= MAX_FILES:
            raise FileProblem(f"More than {MAX_FILES} files were sent.")
        name = short_name(file.name or "", count + 1)
        yield name, decoded(name, file.read(MAX_BYTES + 1))


def _merged(draft: Draft, fields: Mapping[str, str]) -> Draft:
    """Returns the draft with the read fields, which replace existing ones."""
    return Draft({**draft.fields, **fields}, draft.done)


def _rows(inputs: Inputs, replaced: Mapping[str, Earlier]) -> Iterator[Row]:
    for field, value in inputs.fields.items():
        part, _, name = field.partition(".")
        if field in HEADS:
            part, name = "", HEADS[field]
        words = FAMILIES[Family(value)][0] if field == "family" else value
        yield Row(field, part, name, value, words, inputs.origins[field], replaced.get(field))


def _remaining_answers(before: Draft, inputs: Inputs, idle: Collection[str]) -> int:
    """Returns the number of earlier answers that stay in force."""
    stay = before.fields.keys() - inputs.fields.keys() - set(idle)
    return sum(bool(before.fields[name]) for name in stay)


def _page(request: HttpRequest, context: dict[str, object], status: int = 200) -> HttpResponse:
    context |= {
        "readers": all_readers(),
        "clusters": list(live.clusters()),
        "families": [(family, name) for family, (name, _) in FAMILIES.items()],
        "step": STEPS[0],
    }
    part = "#read" if request.htmx else ""  # type: ignore[attr-defined]
    return render(request, f"advisor/intake.html{part}", context, status=status)
