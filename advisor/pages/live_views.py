"""The page that reads a live cluster of the operator, by name; settings are used after
confirmation."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from advisor import live
from advisor.intake.inputs import Inputs
from advisor.pages.importing import confirm
from advisor.questions.questionnaire import STEPS

MAX_NAME = 255
"""Of a topic or a group (Kafka's own limit for topics is 249)."""


@require_POST
def cluster(request: HttpRequest) -> HttpResponse:
    """Offers the topics of a cluster; reads the chosen one and asks for confirmation."""
    name = request.POST.get("cluster", "")
    if name not in live.clusters():
        raise Http404("The operator of this site has allowed no such cluster")
    topic, group = (request.POST.get(field, "")[:MAX_NAME] for field in ("topic", "group"))
    try:
        if topic:
            inputs = Inputs()
            inputs.add_live(name, live.look(name, topic, group))
            return confirm(request, inputs)
        topics, groups = live.names(name)
    except live.LiveError as error:
        return _choice(request, name, problem=str(error), status=503)
    return _choice(request, name, topics=topics, groups=groups)


def _choice(request: HttpRequest, name: str, status: int = 200, **options: object) -> HttpResponse:
    context = {"cluster": name, "limit_s": live.LIMIT_S, "step": STEPS[0], **options}
    return render(request, "advisor/live.html", context, status=status)
