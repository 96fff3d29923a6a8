"""Kinds of Kubernetes resources that may hold settings, and kinds that never do."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.intake.deployments.kustomization import LIKE
from advisor.intake.formats.yaml_nodes import Leaf

_KINDS = (
    "ConfigMap|Secret|Deployment|StatefulSet|DaemonSet|Pod|Job|CronJob|ReplicaSet|"
    "ReplicationController|DeploymentConfig|Rollout|ScaledJob"
)
"""Including the kinds of OpenShift, Argo Rollouts and KEDA that have a pod template."""
_KIND = re.compile(
    rf"^kind:[ \t]*['\"]?(?:{_KINDS})\b|\"kind\":[ \t]*\"(?:{_KINDS})\"", re.MULTILINE
)
_SERVING, _TYPE_PATHS = "serving.knative.dev/", (("kind",), ("apiVersion",))
_KNATIVE = re.compile(rf"^[ -]*apiVersion:[ \t]*['\"]?{re.escape(_SERVING)}", re.MULTILINE)
"""Knative's Service has a pod template (Knative Serving API, Service v1)."""
_API = re.compile(r"^apiVersion:|\"apiVersion\":", re.MULTILINE)
_UNRELATED = re.compile(
    r"^kind:[ \t]*['\"]?(?:Service|ServiceAccount|Namespace|Ingress|Role|RoleBinding|ClusterRole|"
    r"ClusterRoleBinding|NetworkPolicy|HorizontalPodAutoscaler|PodDisruptionBudget|ScaledObject|"
    r"PersistentVolume|PersistentVolumeClaim|StorageClass|ServiceMonitor|PodMonitor|PrometheusRule|"
    r"Route|VirtualService|DestinationRule|Gateway|HTTPRoute|Certificate|ExternalSecret|"
    r"LimitRange|ResourceQuota)['\"]?[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
"""Kinds that often accompany a workload and configure nothing of Kafka."""
_LIST = re.compile(r"^kind:[ \t]*['\"]?List\b", re.MULTILINE)
_LISTED_KIND = re.compile(rf"^[ -]+kind:[ \t]*['\"]?(?:{_KINDS})\b", re.MULTILINE)
"""A List, as `kubectl get -o yaml` prints it."""


def is_read(leaves: Iterable[Leaf]) -> bool:
    """Whether a resource is of a kind that may hold settings, variables or files."""
    stated = {leaf.path: leaf.text for leaf in leaves if leaf.path in _TYPE_PATHS}
    kind, api = (stated.get(path, "") for path in _TYPE_PATHS)
    return kind in _KINDS.split("|") or (kind == "Service" and api.startswith(_SERVING))


def is_unrelated(kind: str) -> bool:
    """Whether a kind of resource configures nothing of Kafka."""
    return _UNRELATED.match(f"kind: {kind}") is not None


def likeness(text: str) -> float:
    """The likelihood, from 0 to 1, that a text holds such resources."""
    is_listed = _LIST.search(text) and _LISTED_KIND.search(text)
    is_one = _KIND.search(text) or is_listed or _KNATIVE.search(text)
    if LIKE.search(text):
        return 0.99
    if not _API.search(text):
        return 0.0
    return 0.99 if is_one else 0.3 if _UNRELATED.search(text) else 0.0
