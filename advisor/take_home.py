"""What a person takes home from the advice: one file, all of them, or the report on paper."""

from __future__ import annotations

import json

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from advisor import export as exports
from advisor import presentation, services
from advisor.export.archive import zipped
from advisor.management.report import report as report_text
from advisor.models import Description
from advisor.reasoning.pipeline import Pipeline


def load_or_404(slug: str) -> Pipeline:
    """The saved pipeline. Raises `Http404` if there is none, `StaleDescription` as `load` does."""
    try:
        return services.load(slug)
    except Description.DoesNotExist:
        raise Http404(f"No pipeline is saved as {slug}") from None


def rendered(
    request: HttpRequest, slug: str, described: Pipeline, recommended: Pipeline
) -> list[tuple[exports.Export, str]]:
    """Each file that leads from the pipeline as described to the recommended one."""
    stamp = _stamp(request, slug, recommended)
    found = exports.exports_for(recommended, described)
    return [(each, each.render(recommended, stamp)) for each in found]


@require_safe
def export(request: HttpRequest, slug: str, product: str) -> HttpResponse:
    """One file of the recommended settings, to download."""
    pipeline = services.recommended(load_or_404(slug))
    found = exports.find(product)
    if found is None or not found.applies(pipeline):
        raise Http404(f"There is no export {product} for this pipeline")
    text = found.render(pipeline, _stamp(request, slug, pipeline))
    return _download(text.encode(), found.filename, f"{found.media_type}; charset=utf-8")


@require_safe
def archive(request: HttpRequest, slug: str) -> HttpResponse:
    """Every file of the recommended settings, and the advice as text and as data, in one zip."""
    described = load_or_404(slug)
    files = rendered(request, slug, described, services.recommended(described))
    texts = {each.filename: text for each, text in files}
    stamp = _stamp(request, slug, described)
    advice = f"{stamp.origin}\nThe reasons: {stamp.permalink}\n\n{report_text(described)}\n"
    data = json.dumps(services.advise(described), indent=2)
    return _download(
        zipped({**texts, "advice.txt": advice, "advice.json": data + "\n"}, f"delivery-{slug}"),
        f"delivery-{slug}.zip",
        "application/zip",
    )


@require_safe
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """The advice on one page for the printer: nothing to open, nothing to press."""
    pipeline = load_or_404(slug)
    context = presentation.advice(slug, pipeline)
    stamp = _stamp(request, slug, pipeline)
    files = exports.exports_for(context["recommended"].pipeline, pipeline)
    return render(request, "advisor/report.html", {**context, "stamp": stamp, "files": files})


def _download(content: bytes, filename: str, media_type: str) -> HttpResponse:
    disposition = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return HttpResponse(content, content_type=media_type, headers=disposition)


def _stamp(request: HttpRequest, slug: str, pipeline: Pipeline) -> exports.Stamp:
    permalink = request.build_absolute_uri(reverse("advisor:advice", args=[slug]))
    client = presentation.client(pipeline)
    return exports.Stamp(services.RULES_VERSION, pipeline.kafka, client, permalink)
