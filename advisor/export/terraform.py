"""A topic for Terraform, as a resource of the Mongey/kafka provider.

Source: the provider's documentation of `kafka_topic`, and its pull request 148 for copies changed
in place; strings as HashiCorp's HCL native syntax specification has them ("Template Expressions").
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.export.base import Export, Revision, Stamp, always, head
from advisor.export.choice import chosen, file_notes

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_REPLICAS = "replication.factor"
_NOTE = (
    "A topic that exists has to be imported before this is applied: "
    "terraform import kafka_topic.this NAME. From 0.3.0 on the provider changes replication_factor "
    "in place; before, it destroys the topic and makes a new one. Read the plan first."
)
_BEFORE = """
terraform {
  required_providers {
    kafka = {
      source  = "Mongey/kafka"
      version = ">= 0.3.0"
    }
  }
}

variable "topic" {
  type = string
}

variable "partitions" {
  type = number
}

resource "kafka_topic" "this" {
  name               = var.topic
  partitions         = var.partitions
"""


def quoted(text: str) -> str:
    """Returns a string literal of HCL, ASCII only, in which nothing is a template or ends it."""
    out = [_ESCAPES.get(char, char if " " <= char <= "~" else _code(char)) for char in text]
    # Doubling the sign, the usual escape, is read otherwise after one that stands there already.
    plain = "".join(out).replace("${", f"{_code('$')}{{").replace("%{", f"{_code('%')}{{")
    return f'"{plain}"'


def _code(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def _write(revision: Revision, stamp: Stamp) -> str:
    settings, comments = chosen(revision, Component.TOPIC), file_notes(revision, Component.TOPIC)
    copies = [
        f"  replication_factor = {setting.text}\n"
        for setting in settings
        if setting.name == _REPLICAS
    ]
    config = [
        (quoted(setting.name), quoted(setting.text))
        for setting in settings
        if setting.name != _REPLICAS
    ]
    width = max((len(name) for name, _ in config), default=0)
    lines = [f"    {name:<{width}} = {text}\n" for name, text in config]
    return "".join([
        head("A topic for Terraform.", stamp, _NOTE, *comments), _BEFORE, *copies,
        "\n  config = {\n", *lines, "  }\n}\n",
    ])  # fmt: skip


EXPORTS = (Export("terraform", "Terraform topic", "topic.tf", "text/plain", always, _write),)
