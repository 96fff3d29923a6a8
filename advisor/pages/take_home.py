"""Downloads of the advice: one file, all files, or the report for printing."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from advisor import export as exports
from advisor import services
from advisor.pages import presentation
from advisor.pages.standing import find_or_404, standing
from advisor.reports.reasons import breaking
from advisor.reports.text import report as report_text
from advisor.services import Saved


def rendered(request: HttpRequest, saved: Saved) -> list[tuple[exports.Export, str]]:
    """Returns the exports that lead from the described pipeline to the recommended one.

    The recommendation is that of the stored answer; the stamp has the version of its rules.
    Raises `StaleDescription`.
    """
    described, recommended = saved.described(), saved.recommended()
    results = exports.exports_for(recommended, described)
    stamp = _stamp(request, saved)
    return [(export, export.render(recommended, stamp, described)) for export in results]


@require_safe
def export(request: HttpRequest, slug: str, product: str) -> HttpResponse:
    """One file of the recommended settings, to download."""
    saved = find_or_404(slug)
    pipeline = saved.recommended()
    export = exports.find(product)
    if export is None or not export.applies(pipeline):
        raise Http404(f"There is no export {product} for this pipeline")
    text = export.render(pipeline, _stamp(request, saved), saved.described())
    return _download(text.encode(), export.filename, f"{export.media_type}; charset=utf-8")


@require_safe
def archive(request: HttpRequest, slug: str) -> HttpResponse:
    """Every file of the recommended settings, and the advice as text and as data, in one zip."""
    saved = find_or_404(slug)
    texts = {export.filename: text for export, text in rendered(request, saved)}
    stamp = _stamp(request, saved)
    advice = f"{stamp.origin}\nThe reasons: {stamp.permalink}\n\n{report_text(saved.answer)}\n"
    data = json.dumps(services.to_json(saved.answer), indent=2)
    return _download(
        zipped({**texts, "advice.txt": advice, "advice.json": data + "\n"}, f"delivery-{slug}"),
        f"delivery-{slug}.zip",
        "application/zip",
    )


@require_safe
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """The advice for printing, without controls, and with only the decisive reasons."""
    saved = find_or_404(slug)
    context = {**presentation.advice(saved.answer), **standing(saved)}
    context["breaking"] = breaking(saved.answer.judgement)
    context["stamp"] = _stamp(request, saved)
    if not context["in_the_way"]:
        context["files"] = exports.exports_for(saved.recommended(), saved.described())
    return render(request, "advisor/report.html", context)


def _download(content: bytes, filename: str, media_type: str) -> HttpResponse:
    disposition = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return HttpResponse(content, content_type=media_type, headers=disposition)


def _stamp(request: HttpRequest, saved: Saved) -> exports.Stamp:
    permalink = request.build_absolute_uri(reverse("advisor:advice", args=[saved.slug]))
    pipeline = saved.answer.judgement.pipeline
    client = presentation.client(pipeline)
    return exports.Stamp(saved.rules_version, pipeline.kafka, client, permalink)


_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time of a zip archive; the current time would change the bytes."""


def zipped(files: Mapping[str, str], folder: str) -> bytes:
    """Returns a zip of texts by name below `folder`, sorted by name; scripts are executable.

    Nothing is compressed: deflate's output differs between versions of zlib.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{folder}/{name}", _EPOCH)
            entry.create_system = 3  # Unix, wherever this runs, so that the mode counts
            entry.external_attr = (0o100755 if name.endswith(".sh") else 0o100644) << 16
            archive.writestr(entry, files[name].encode())
    return buffer.getvalue()
