"""The addresses of the advisor, the concepts, the reference and the known bugs."""

from __future__ import annotations

from django.urls import include, path

from advisor.pages import advisory_views as advisories
from advisor.pages import concept_views as concepts
from advisor.pages import importing, live_views, standing, take_home, views
from advisor.pages import reference_views as reference

_concepts = [
    path("", concepts.index, name="index"),
    path("<slug:name>/", concepts.concept, name="concept"),
]
_reference = [
    path("", reference.index, name="index"),
    path("failures/<slug:name>/", reference.failure, name="failure"),
    path("rules/<slug:code>/", reference.rule, name="rule"),
    path("settings/<slug:component>/<str:name>/", reference.setting, name="setting"),
]
_advisories = [
    path("", advisories.index, name="index"),
    path("<slug:slug>/", advisories.page, name="page"),
]
_advisor = [
    path("describe/", views.start, name="start"),
    path("describe/start-over/", views.start_over, name="start-over"),
    path("describe/undo/", views.undo, name="undo"),
    path("describe/from-files/", importing.intake, name="intake"),
    path("describe/from-files/use/", importing.use, name="intake-use"),
    path("describe/from-cluster/", live_views.cluster, name="live"),
    path("describe/<slug:step>/", views.describe, name="describe"),
    path("describe/<slug:step>/card/", views.card, name="card"),
    path("pipelines/<slug:slug>/", views.advice, name="advice"),
    path("pipelines/<slug:slug>/reasons/", views.reasons, name="reasons"),
    path("pipelines/<slug:slug>/settings/", views.in_force, name="in-force"),
    path("pipelines/<slug:slug>/edit/", views.edit, name="edit"),
    path("pipelines/<slug:slug>/compared/", standing.compared, name="compared"),
    path("pipelines/<slug:slug>/newer/", standing.newer, name="newer"),
    path("pipelines/<slug:slug>/renew/", standing.renew, name="renew"),
    path("pipelines/<slug:slug>/export/<slug:product>/", take_home.export, name="export"),
    path("pipelines/<slug:slug>/archive.zip", take_home.archive, name="archive"),
    path("pipelines/<slug:slug>/report/", take_home.report, name="report"),
]
urlpatterns = [
    path("", include((_advisor, "advisor"))),
    path("concepts/", include((_concepts, "concepts"))),
    path("reference/", include((_reference, "reference"))),
    path("advisories/", include((_advisories, "advisories"))),
]
