"""The contract of every rule: its examples, its documentation, its code and its sources."""

from __future__ import annotations

import re
import sys

import pytest

from advisor.reasoning.assess import assess
from advisor.reasoning.fields import from_fields
from advisor.reasoning.finding import Example, Rule
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.rules import all_rules

RULES = all_rules()
EACH_RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def pipeline_of(example: Example) -> Pipeline:
    pipeline, problems = from_fields(example)
    assert pipeline is not None, problems
    return pipeline


@EACH_RULE
def test_a_valid_example_has_no_finding(rule: Rule):
    assert rule.valid
    for example in rule.valid:
        assert rule.check(pipeline_of(example)) is None, example


@EACH_RULE
def test_an_invalid_example_has_a_finding_that_names_a_value(rule: Rule):
    assert rule.invalid
    for example in rule.invalid:
        pipeline = pipeline_of(example)
        message = rule.check(pipeline)
        assert message is not None, example
        assert re.search(r"[a-z.]+=\S|=\w", message), "a message names a setting and its value"
        assert rule.code in [finding.rule.code for finding in assess(pipeline).findings]


def test_a_rule_has_a_page_and_sources():
    for rule in RULES:
        page = sys.modules[rule.check.__module__].__doc__ or ""
        headings = [line for line in page.splitlines() if line and not line.startswith(" ")][1:]
        assert headings == ["What it is", "Why it matters", "Use instead"], rule.code
        assert rule.sources, rule.code


def test_codes_and_names_are_unique_and_well_formed():
    assert len({rule.code for rule in RULES}) == len(RULES) == len({rule.name for rule in RULES})
    assert all(re.fullmatch(r"[PTBCSA]\d{3}", rule.code) for rule in RULES)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.name) for rule in RULES)


def test_the_recommended_settings_of_the_java_client_have_no_finding():
    fields = {
        "family": "java",
        "producer.enable.idempotence": "true",
        "topic.replication.factor": "3",
        "topic.min.insync.replicas": "2",
        "consumer.auto.offset.reset": "earliest",
    }
    assert assess(pipeline_of(fields)).findings == ()
