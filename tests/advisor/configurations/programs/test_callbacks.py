"""Producers in Java, Kotlin, Scala and Python: what their callbacks do with an error.

Java's client catches an exception that a callback throws and only logs it (ProducerBatch.java,
completeFutureAndFireCallbacks). In confluent-kafka it leaves `poll()` and `flush()`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import JAVA as TOPIC
from tests.advisor.configurations.asking import assert_file
from tests.advisor.configurations.programs.test_sends import IGNORED, YES
from tests.advisor.programs.jvm_senders import CLASS, JAVA, KOTLIN, SCALA

THROWS = "if (e != null) throw e;"
CATCHES = "catch (Exception x) { log.error(x); }"
CHECKS = "void check(Exception e) { if (e != null) throw new RuntimeException(e); }"
LOGS = "void told(Exception e) { if (e instanceof X) { log.warn(e); } else { log.error(e); } }"
FORMATS = "if (e != null) { String s = String.format(1, e.getMessage()); log.error(s); }"
JAVA_CASES = [
    # an error that a callback throws
    (THROWS, "", IGNORED),
    ("if (e != null) { log.error(e); throw new RuntimeException(e); } done(m);", "", IGNORED),
    (f"try {{ {THROWS} }} {CATCHES}", "", IGNORED),
    (f"try {{ {THROWS} done(m); }} {CATCHES}", "", IGNORED),
    (f"try {{ {THROWS} }} catch (TimeoutException t) {{ }} {CATCHES}", "", IGNORED),
    (f"if (e != null) {{ try {{ throw e; }} {CATCHES} }}", "", IGNORED),
    (f"try {{ check(e); }} {CATCHES}", CHECKS, IGNORED),
    (f"try {{ {THROWS} }} catch (Exception x) {{ again(m); }}", "", YES),
    ("if (e != null) { errors.add(e); throw e; }", "", YES),
    ("assert e == null;", "", IGNORED),
    ("Objects.requireNonNull(m, e.getMessage());", "", IGNORED),
    # errors that are only logged
    (FORMATS, "", IGNORED),
    ("if (Objects.nonNull(e)) { log.error(e); } else { done(m); }", "", IGNORED),
    ("if (e != null && log.isErrorEnabled()) { log.error(e); } else { log.info(m); }", "", IGNORED),
    ("if (e != null) { Sentry.captureException(e); span.recordException(e); }", "", IGNORED),
    ("if (e instanceof X) { log.warn(e); return; } if (e != null) { log.error(e); }", "", IGNORED),
    ("if (e instanceof X) { again(m); } else if (e != null) { log.error(e); }", "", YES),
    ("switch (e) { case null -> done(m); default -> log.error(e); }", "", IGNORED),
    ("switch (e) { case null -> done(m); default -> again(e); }", "", YES),
    ("if (e != null) { System.exit(1); }", "", YES),
    ("if (e != null) { error = e; }", "", YES),
    # a method of the same file that receives the error
    ("if (e != null) { told(e); } else { done(m); }", LOGS, IGNORED),
    ("if (e != null) { told(e); }", LOGS.replace("log.warn(e)", "again(e)"), YES),
    ("if (e != null) { told(e); }", "", YES),
]
KOTLIN_CASES = [
    (f"try {{ {THROWS[:-1]} }} catch (x: Exception) {{ log.error(x) }}", IGNORED),
    ("e?.let { throw it }", IGNORED),
    ("runCatching { e?.let { throw it } }", IGNORED),
    ("runCatching { if (e != null) throw e }.onFailure { log.error(it) }", IGNORED),
    ("runCatching { if (e != null) throw e }.onFailure { again(m) }", YES),
    ('require(e == null) { "no" }', IGNORED),
    ("when (e) { null -> done(m)\n else -> log.error(e) }", IGNORED),
    ("when { e == null -> done(m)\n else -> again(m) }", YES),
    ("e ?: return@send\n log.error(e)", IGNORED),
    ("e?.also { log.error(it) } ?: done(m)", IGNORED),
    ("e?.let { x.resumeWithException(it) } ?: x.resume(m)", YES),
]
SCALA_CASES = [
    ("try { if (e != null) throw e } catch { case NonFatal(x) => log.error(x) }", IGNORED),
    ("Try { if (e != null) throw e }", IGNORED),
    ("Option(e).foreach { x =>\n log.error(x)\n throw x\n }", IGNORED),
    ("Option(e) match { case Some(x) => log.error(x) case None => done(m) }", IGNORED),
    ("e match { case null => done(m) case x => log.error(x) }", IGNORED),
    ("e match { case null => x.success(m) case y => x.failure(y) }", YES),
]
TYPED = "(RecordMetadata m, final Exception e) -> {"
JVM_CASES = [
    *((JAVA, f"k.send(r, (m, e) -> {{ {body} }});", declarations, answer)
      for body, declarations, answer in JAVA_CASES),
    *((KOTLIN, f"k.send(r) {{ m, e -> {body} }}", "", answer) for body, answer in KOTLIN_CASES),
    *((SCALA, f"k.send(r, (m, e) => {{ {body} }})", "", answer) for body, answer in SCALA_CASES),
    (JAVA, f"k.send(r, {CLASS % f'try {{ {THROWS} }} {CATCHES}'});", "", IGNORED),
    (JAVA, "k.send(r, this::told);", f"void told(R m, Exception e) {{ {THROWS} }}", IGNORED),
    (JAVA, f"k.send(r, {TYPED} if (e != null) log.error(e); else log.info(m); }});", "", IGNORED),
    (JAVA, f"k.send(r, {TYPED} if (e != null) again(r); }});", "", YES),
    (JAVA, "k.send(r, (m, e) -> Optional.ofNullable(e).ifPresentOrElse(x -> log.error(x), "
     "() -> log.info(m)));", "", IGNORED),
    (KOTLIN, "k.send(r, ::told)", "fun told(m: M?, e: Exception?) { log.error(e) }", IGNORED),
    (KOTLIN, "k.send(r, object : Callback { override fun onCompletion(m: M?, e: Exception?) { "
     "if (e != null) throw e } })", "", IGNORED),
]  # fmt: skip


@pytest.mark.parametrize(("code", "body", "declarations", "expected"), JVM_CASES)
def test_a_jvm_callback_that_ignores_an_error_is_reported(
    tmp_path: Path, code: str, body: str, declarations: str, expected: str
) -> None:
    consumer_settings = "consumer.enable.auto.commit=false application.commit=after-processing"
    path = tmp_path / "A.java"
    exit_code = 1 if expected == IGNORED else 0
    assert_file(
        path, code % (body, declarations), "", f"{TOPIC} {consumer_settings}", exit_code, expected
    )


RAISES = "if e: raise KafkaException(e)"
POLLS = "    p.poll(0)\np.flush()"
PRINTS = "except Exception as x:\n    print(x)"
PYTHON_CASES = [
    # errors that a callback raises
    (RAISES, POLLS, YES),
    (f"try:\n        {RAISES}\n    except Exception as x:\n        log.error(x)", POLLS, IGNORED),
    (f"try:\n        {RAISES}\n    except KafkaException:\n        again(m)", POLLS, YES),
    (f"try:\n        {RAISES}\n    except KafkaException:\n        print(e)\n        raise", POLLS,
     YES),
    ("try:\n        check(e)\n    except Exception:\n        print(e)", POLLS, IGNORED),
    (f"with suppress(Exception):\n        {RAISES}", POLLS, IGNORED),
    (RAISES, f"    p.poll(0)\ntry:\n    p.flush()\n{PRINTS}", IGNORED),
    (RAISES, f"    p.poll(0)\ntry:\n    p.flush()\n{PRINTS}\n    raise", YES),
    (RAISES, "    with suppress(Exception):\n        p.poll(0)\np.flush()", IGNORED),
    # errors that are only logged
    ("if e:\n        if e.code(): log.warning(e)\n        else: log.error(e)", POLLS, IGNORED),
    # librdkafka marks only errors of transactions as retriable (rd_kafka_error_is_retriable)
    ("if e:\n        if e.retriable(): again(m)\n        else: log.error(e)", POLLS, IGNORED),
    ("if e and e.retriable(): raise KafkaException(e)", POLLS, IGNORED),
    ("if e:\n        if e.fatal(): raise KafkaException(e)\n        log.error(e)", POLLS, IGNORED),
    ("if e:\n        if e.fatal(): log.critical(e)\n        again(m)", POLLS, YES),
    ("if e:\n        if e.retriable():\n            again(m)\n            return\n        park(m)",
     POLLS, YES),
    ("if e:\n        text = f'failed {e}'\n        log.error(text)", POLLS, IGNORED),
    ("match e:\n        case None: done(m)\n        case _: log.error(e)", POLLS, IGNORED),
    ("log.error(e) if e else None", POLLS, IGNORED),
    ("e and log.error(e)", POLLS, IGNORED),
    ("if e:\n        text = '{}'.format(e)\n        log.error(text)", POLLS, IGNORED),
    ("for other in others:\n        log.error(e)", POLLS, IGNORED),
    ("if e:\n        log.error(e)\n        raise KafkaException(e)", POLLS, YES),
    ("if e: told(e)", POLLS, IGNORED),
    ("if e: check(e)", POLLS, YES),
    ("global failed\n    failed = e", f"{POLLS}\nif failed: sys.exit(1)", YES),
]  # fmt: skip
_PROGRAM = (
    'p = Producer({"acks": "all", "enable.idempotence": True})\n'
    "def told(e):\n    print(e)\ndef check(e):\n    if e: raise KafkaException(e)\n"
    'def heard(e, m):\n    %s\nfor r in rows:\n    p.produce("t", r, callback=heard)\n%s\n'
)


@pytest.mark.parametrize(("body", "polling", "expected"), PYTHON_CASES)
def test_a_confluent_kafka_callback_that_ignores_an_error_is_reported(
    tmp_path: Path, body: str, polling: str, expected: str
) -> None:
    settings = f"{TOPIC} application.commit=after-processing consumer.enable.auto.commit=false"
    exit_code = 1 if expected == IGNORED else 0
    assert_file(tmp_path / "a.py", _PROGRAM % (body, polling), "", settings, exit_code, expected)
