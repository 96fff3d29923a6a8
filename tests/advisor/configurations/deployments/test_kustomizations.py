"""A kustomization that generates ConfigMaps, with the manifests that it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_answer, write_files

SETTINGS = (
    "topic.replication.factor=3 topic.min.insync.replicas=2 application.processing.errors=retry"
)
SETTINGS += " consumer.auto.offset.reset=earliest"
POD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec:
  template:
    spec:
      containers: [{name: app, image: app, %s}]
"""
FROM_MAP = POD % "envFrom: [{configMapRef: {name: a}}]"
FROM_SECRET = POD % "envFrom: [{secretRef: {name: a}}]"
OWN_VALUE = POD % "env: [{name: SPRING_KAFKA_PRODUCER_ACKS, value: '1'}]"
MOUNTED = (POD % "volumeMounts: [{name: c, mountPath: /config}]") + (
    "      volumes: [{name: c, configMap: {name: a}}]\n"
)
KIND = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [app.yaml]\n"
ACKS_ONE = "configMapGenerator:\n- name: a\n  literals:\n  - SPRING_KAFKA_PRODUCER_ACKS=1\n"
ACKS_ALL, PRINTS = (
    ACKS_ONE.replace("=1", '="all"'),
    "kustomization.yaml:\\d+: .*`kubectl kustomize` prints",
)
FILES = "configMapGenerator:\n- name: a\n  files: [application.properties]\n"
ACKS = "acks: 1 -> all"


def files(kustomization: str, pod: str = FROM_MAP, **others: str) -> dict[str, str]:
    return {"kustomization.yaml": kustomization, "app.yaml": pod} | others


PROPERTIES = {"application.properties": "spring.kafka.producer.acks=1\n"}
KUSTOMIZATIONS = [
    (files(KIND + ACKS_ONE), 1, ACKS),
    (files(KIND + ACKS_ALL), 0, "YES"),
    (files(ACKS_ONE), 1, ACKS),
    ({"kustomization.yaml": KIND + ACKS_ONE}, 1, ACKS),
    (files(KIND + ACKS_ONE.replace("configMap", "secret"), FROM_SECRET), 1, ACKS),
    (files(KIND + ACKS_ONE.replace("=1", "=1=2")), 2, "kustomization.yaml:7: acks"),
    (files(KIND, OWN_VALUE), 1, ACKS),
    (files(KIND + FILES, MOUNTED) | PROPERTIES, 1, ACKS),
    (files(KIND + FILES, MOUNTED), 2, "its ConfigMaps are made from files"),
    (
        files(KIND + FILES, OWN_VALUE),
        1,
        "a file application.properties may contain settings and is not read",
    ),
    (files(KIND + ACKS_ONE, FROM_MAP.replace("name: a}}", "name: b}}")), 2, "used by no container"),
    # changes to resources, and parts in other files
    (files(f"{KIND}patches: [{{path: b.yaml}}]\n{ACKS_ONE}"), 2, PRINTS),
    (files(f"{KIND}namePrefix: b-\n{ACKS_ONE}"), 2, PRINTS),
    (files(f"{KIND}replicas: [{{name: kafka, count: 1}}]\n{ACKS_ONE}"), 2, PRINTS),
    (files(f"{KIND}images: [{{name: apache/kafka, newTag: 3.6.0}}]\n{ACKS_ONE}"), 2, PRINTS),
    (files(f"{KIND}images: [{{name: app, newTag: '2'}}]\n{ACKS_ONE}"), 1, ACKS),
    (files(KIND.replace("[app.yaml]", "[../base]") + ACKS_ONE), 2, PRINTS),
    (files(KIND.replace("[app.yaml]", "['https://a.b/c.yaml']") + ACKS_ONE), 2, PRINTS),
    (files(KIND + ACKS_ONE.replace("- name: a", "- name: a\n  behavior: merge")), 2, PRINTS),
]


@pytest.mark.parametrize(("texts", "code", "expected"), KUSTOMIZATIONS)
def test_generated_config_maps_are_read_like_written_ones(
    tmp_path: Path, texts: dict[str, str], code: int, expected: str
) -> None:
    write_files(tmp_path, texts)
    paths = " ".join(str(tmp_path / name) for name in texts)
    assert_answer(paths, SETTINGS, code, expected)
