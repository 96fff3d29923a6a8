"""Historical releases, which only incidents run, are marked on every page and offered nowhere."""

from __future__ import annotations

import json
import re

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from advisor.catalog import SettingError, kafka_line
from advisor.management.exact import BAD_INPUT
from labs.engine.distributions import distribution
from labs.incidents import Incident, all_incidents, wheels

INCIDENTS = pytest.mark.parametrize(
    "incident", all_incidents(), ids=[incident.slug for incident in all_incidents()]
)
HISTORICAL = sorted({(incident.component, release) for incident in all_incidents()
                     for release in incident.historical})  # fmt: skip


def test_old_lines_are_historical_and_offered_lines_are_not() -> None:
    lines_of = {incident.id: incident.historical for incident in all_incidents()}
    assert lines_of["KAFKA-3919"] == {"0.10.2.2", "0.11.0.3"}
    assert lines_of["KAFKA-4473"] == {"0.10.1.1", "0.10.2.0", "0.10.2.2"}, (
        "its brokers are old, too"
    )
    assert lines_of["KAFKA-14055"] == lines_of["KIP-966"] == lines_of["KAFKA-20685"] == frozenset()
    assert lines_of["librdkafka #4442"] == {"2.2.0", "2.3.0"}


@pytest.mark.django_db
@pytest.mark.parametrize(("component", "release"), HISTORICAL)
def test_a_historical_release_is_not_offered(client: Client, component: str, release: str) -> None:
    """Neither a form, nor the catalog, `--kafka`, `--across` or a series offers it."""
    line = ".".join(release.split(".")[: 3 if release.startswith("0.") else 2])
    if component == "librdkafka":
        assert release != wheels.installed()
        return
    assert release not in distribution.kafka_versions()
    if component != "broker":
        return
    assert release not in (*distribution.all_versions(), *distribution.patch_releases())
    with pytest.raises(SettingError):
        kafka_line(release)
    with pytest.raises(distribution.UnknownVersion):
        distribution.release(release)
    for option in (["--kafka", release], ["--kafka", line], ["--across", f"{line},4.3"]):
        with pytest.raises(CommandError) as refused:
            call_command("experiment", "--scenario", "leader-killed", *option)
        assert refused.value.returncode == BAD_INPUT
    for page in (reverse("advisor:describe", args=["client"]), reverse("labs:lines")):
        shown = client.get(page).content.decode()
        [*choices] = re.findall(r'(?s)<select[^>]*name="(?:kafka|first|last)".*?</select>', shown)
        offered = re.findall(r'<option value="([^"]+)"', "".join(choices))
        assert "2.8" in offered
        assert not {line, release} & {*offered}


@pytest.mark.django_db
@INCIDENTS
def test_a_historical_release_is_marked_on_every_page(
    client: Client, incident: Incident, capsys: pytest.CaptureFixture[str]
) -> None:
    own = client.get(reverse("labs:incident", args=[incident.slug])).content.decode()
    every = client.get(reverse("labs:incidents")).content.decode()
    row = every[every.index(incident.slug) :].partition("</tr>")[0]
    call_command("incidents")
    [line] = [ln for ln in capsys.readouterr().out.splitlines() if ln.startswith(incident.id + " ")]
    call_command("incidents", "--json")
    [data] = [d for d in json.loads(capsys.readouterr().out) if d["id"] == incident.id]
    assert set(data["historical"]) == incident.historical
    for release in incident.releases.values():
        is_old = release in incident.historical
        assert (f"{incident.kind} {release} (historical)" in own) == is_old
        assert (f'{release}</span> <span class="muted">(historical)' in row) == is_old
        assert (f"{release}*" in line) == is_old
