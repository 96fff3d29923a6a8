"""Asserts the answer to a program, and names the expected facts."""

from __future__ import annotations

from pathlib import Path

from tests.advisor.configurations.asking import TOPIC, assert_file

YES = "^YES"
BEFORE = "application.commit=before-processing"
SKIP = "application.processing.errors=skip"
CLOSE = "application.processing.errors=close"
ASIDE = "application.processing=asynchronous"
IGNORED = "application.delivery.errors=ignored"

JAVA_APP = """import org.apache.kafka.clients.consumer.*;
public class App {{
  {more}
  public static void main(String[] args) {{
    Properties p = new Properties();
    p.put("group.id", "g"); p.put("enable.auto.commit", "false");
    p.put("auto.offset.reset", "earliest");
    KafkaConsumer<String, String> c = new KafkaConsumer<>(p);
    c.subscribe(List.of("t"));
    {before}
    while (true) {{
      ConsumerRecords<String, String> rs = c.poll(Duration.ofMillis(100));
      {body}
    }}
  }}
}}
"""
"""A consumer in Java: what the class, the start and the body of the poll loop have in addition."""


def assert_program(path: Path, code: str, expected: str, settings: str = "") -> None:
    """Asserts that a program with a safe topic gets YES, or NO because of the expected fact."""
    stated = f"{TOPIC} application.restart=resumes {settings}"
    assert_file(path, code, "", stated, 0 if expected == YES else 1, expected)
