"""Which kinds of resources of Kubernetes may hold settings, and which stand beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.intake.deployments.kustomization import LIKE
from advisor.intake.formats.yaml_nodes import Leaf

_KINDS = (
    "ConfigMap|Secret|Deployment|StatefulSet|DaemonSet|Pod|Job|CronJob|ReplicaSet|"
    "ReplicationController|DeploymentConfig|Rollout|ScaledJob"
)
"""With those of OpenShift, Argo Rollouts and KEDA that have a pod's template."""
_KIND = re.compile(
    rf"^kind:[ \t]*['\"]?(?:{_KINDS})\b|\"kind\":[ \t]*\"(?:{_KINDS})\"", re.MULTILINE
)
_SERVING, _WHAT = "serving.knative.dev/", (("kind",), ("apiVersion",))
_KNATIVE = re.compile(rf"^[ -]*apiVersion:[ \t]*['\"]?{re.escape(_SERVING)}", re.MULTILINE)
"""Its Service has a pod's template (Knative Serving API, Service v1)."""
_API = re.compile(r"^apiVersion:|\"apiVersion\":", re.MULTILINE)
_BESIDE = re.compile(
    r"^kind:[ \t]*['\"]?(?:Service|ServiceAccount|Namespace|Ingress|Role|RoleBinding|ClusterRole|"
    r"ClusterRoleBinding|NetworkPolicy|HorizontalPodAutoscaler|PodDisruptionBudget|ScaledObject|"
    r"PersistentVolume|PersistentVolumeClaim|StorageClass|ServiceMonitor|PodMonitor|PrometheusRule|"
    r"Route|VirtualService|DestinationRule|Gateway|HTTPRoute|Certificate|ExternalSecret|"
    r"LimitRange|ResourceQuota)['\"]?[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
"""What is beside a workload and sets up nothing of Kafka's."""
_LIST = re.compile(r"^kind:[ \t]*['\"]?List\b", re.MULTILINE)
_LISTED = re.compile(rf"^[ -]+kind:[ \t]*['\"]?(?:{_KINDS})\b", re.MULTILINE)
"""What `kubectl get -o yaml` prints."""


def is_read(leaves: Iterable[Leaf]) -> bool:
    """Whether a resource is of a kind that may hold settings, variables or files."""
    stated = {leaf.path: leaf.text for leaf in leaves if leaf.path in _WHAT}
    kind, api = (stated.get(path, "") for path in _WHAT)
    return kind in _KINDS.split("|") or (kind == "Service" and api.startswith(_SERVING))


def is_unrelated(kind: str) -> bool:
    """Whether a kind of resource is beside workloads and sets up nothing of Kafka's."""
    return _BESIDE.match(f"kind: {kind}") is not None


def likeness(text: str) -> float:
    """How much a text looks like such resources."""
    is_listed = _LIST.search(text) and _LISTED.search(text)
    is_one = _KIND.search(text) or is_listed or _KNATIVE.search(text)
    if LIKE.search(text):
        return 0.99
    if not _API.search(text):
        return 0.0
    return 0.99 if is_one else 0.3 if _BESIDE.search(text) else 0.0
