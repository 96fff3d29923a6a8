"""The same work on a record in several forms: in a method, in a function, in an object."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, WITH_METHOD

_METHOD = "void handle(ConsumerRecord<String, String> r) {\n%s\n}"
_FORMS = {
    "method": ("for (var it : rs) { handle(it); }", _METHOD),
    "reference": ("rs.forEach(this::handle);", _METHOD),
    "lambda": ("rs.forEach(r -> {\n%s\n});", ""),
    "variable": ("Work w = r -> {\n%s\n};\nrs.forEach(w);", ""),
    "stored reference": ("Work w = this::handle;\nrs.forEach(w::accept);", _METHOD),
    "object": ("for (var it : rs) { own.handle(it); }", f"class Own {{ {_METHOD} }}"),
    "stream": ("StreamSupport.stream(rs.spliterator(), false).forEach(r -> {\n%s\n});", ""),
    "partition": ("for (var t : rs.partitions())\nfor (var it : rs.records(t)) { handle(it); }",
                  _METHOD),
}  # fmt: skip
_WORK = [
    ("save(r.value());", YES),
    ("try { save(r.value()); } catch (Exception e) { log.error(e); return; }", SKIP),
    ("try { save(r.value()); } catch (Exception e) { log.error(e); throw e; }", YES),
    ("Row v;\ntry { v = read(r.value()); } catch (Exception e) { log.warn(e); return; }\nsave(v);",
     SKIP),
    ("c.commitSync();\nsave(r.value());", BEFORE),
]  # fmt: skip


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize(("work", "expected"), _WORK)
def test_the_answer_is_the_same_for_each_form_in_java(
    form: str, work: str, expected: str, tmp_path: Path
) -> None:
    loop, definitions = _FORMS[form]
    loop, definitions = (part % work if "%s" in part else part for part in (loop, definitions))
    commit = "" if "commitSync" in work else "\nc.commitSync();"
    assert_program(
        tmp_path / "A.java", WITH_METHOD % (LOOP % f"{loop}{commit}", definitions), expected
    )


_FUN = "fun handle(r: ConsumerRecord<String, String>) {\n%s\n}"
_EXTENSION = "fun ConsumerRecord<String, String>.handle() {\n%s\n}"
_EVERY = (
    f"fun every(batch: ConsumerRecords<String, String>) = batch.forEach {{ handle(it) }}\n{_FUN}"
)
_OR_RETURN = "val v = runCatching { read(r) }.getOrElse { log.warn(it); return }\nsave(v)"


@pytest.mark.parametrize(("loop", "definitions", "expected"), [
    ("every(rs)\nc.commitSync()", _EVERY % "save(r)", YES),
    ("every(rs)\nc.commitSync()", _EVERY % "runCatching { save(r) }", SKIP),
    ("every(rs)\nc.commitSync()", _EVERY % "scope.launch { save(r) }", ASIDE),
    ("rs.forEach(::handle)", _FUN % "c.commitSync()\nsave(r)", BEFORE),
    ("rs.forEach { it.handle() }\nc.commitSync()", _EXTENSION % "scope.launch { save(value()) }",
     ASIDE),
    ("for (x in rs) handle(x)\nc.commitSync()", _FUN % _OR_RETURN, SKIP),
    ("for (x in rs) handle(x)\nc.commitSync()", _FUN % _OR_RETURN.replace("log.warn", "dead"), YES),
])  # fmt: skip
def test_functions_and_extensions_of_kotlin_are_followed(
    loop: str, definitions: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, definitions), expected)


_GROOVY = """import org.apache.kafka.clients.consumer.*
def p = new Properties()
p.put("group.id", "g")
p.put("enable.auto.commit", "false")
p.put("auto.offset.reset", "earliest")
def c = new KafkaConsumer<String, String>(p)
while (true) {
  def rs = c.poll(Duration.ofSeconds(1))
  rs.each { r -> %s }
  c.commitSync()
}
"""


@pytest.mark.parametrize(("work", "expected"), [
    ("save(r)", YES),
    ("try { save(r) } catch (e) { log.error('x', e) }", SKIP),
    ("try { save(r) } catch (e) { throw e }", YES),
])  # fmt: skip
def test_a_groovy_catch_needs_no_type(work: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "c.groovy", _GROOVY % work, expected)


_ITERATOR_LOOP = "while (it.hasNext()) {\nvar r = it.next();\n%s\n}"


def test_a_commit_in_an_iterator_loop_commits_the_whole_poll(tmp_path: Path) -> None:
    loop = f"var it = rs.iterator();\n{_ITERATOR_LOOP % 'save(r.value());%sc.commitSync();'}"
    code = WITH_METHOD % (LOOP % (loop % "\n"), "")
    assert_program(tmp_path / "A.java", code, BEFORE)


_RETRIES = (
    "Row tries(ConsumerRecord<String, String> r) {\nfor (int i = 0; i < 3; i++) {\n"
    "try { return save(r.value()); } catch (RuntimeException e) { log.warn(e); }\n}\n%s\n}"
)
_PARKS = (
    'void park(ConsumerRecord<String, String> r) { k.send(new ProducerRecord<>("d", r.value()),\n'
    "(m, e) -> { if (e != null) System.exit(1); });%s }\nKafkaProducer<String, String> k;"
)
_CATCH = "try { save(r); } catch (Exception e) { park(r); }"


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    ("tries(r);", _RETRIES % "return null;", SKIP),
    ("Row v = tries(r);\nlog.info(v);", _RETRIES % "return null;", SKIP),
    ("Row v = tries(r);\nif (v == null) { log.error(r); }", _RETRIES % "return null;", SKIP),
    ("Row v = tries(r);\nif (v == null) { throw new X(); }", _RETRIES % "return null;", YES),
    ("tries(r).orElseThrow();", _RETRIES % "return Optional.empty();", YES),
    ("tries(r);", _RETRIES % "throw new X();", YES),
    # a send may still be in flight when its method returns
    (_CATCH, _PARKS % "", BEFORE),
    (_CATCH, _PARKS % " k.flush();", YES),
    ("park(r);\nk.flush();", _PARKS % "", YES),
])  # fmt: skip
def test_the_result_of_a_method_must_be_checked_by_its_caller(
    body: str, definitions: str, expected: str, tmp_path: Path
) -> None:
    loop = LOOP % f"for (var r : rs) {{\n{body}\n}}\nc.commitSync();"
    assert_program(tmp_path / "A.java", WITH_METHOD % (loop, definitions), expected)


_PYTHON = """from confluent_kafka import Consumer
from contextlib import contextmanager
%s
c = Consumer({"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"})
c.subscribe(["t"])
while True:
%s
"""
_POLL = "    m = c.poll(1)\n    if m is None or m.error():\n        continue\n    "
_SUBMITS = "    ms = c.consume(100)\n    fs = [pool.submit(save, m) for m in ms]\n    "
_CHECKED = (
    f"{_SUBMITS}errors = [f.exception() for f in fs if f.exception()]\n    if errors:\n        "
)
_MANAGER = """@contextmanager
def handled(consumer, message):
    try:
        yield message
    except Exception:
        log.exception("x")
        %s
    %s
        consumer.commit(message)"""
_WITH = f"{_POLL}with handled(c, m):\n        save(m)"
_HELPER = """def tries(function, message):
    for i in range(3):
        try:
            function(message)
            return True
        except Exception as e:
            log.warning(e)
    return False"""
_POOLED = """    ms = c.consume(100)
    with ThreadPoolExecutor(8) as pool:
        for m in ms:
            pool.submit(save, m)
    c.commit()"""


@pytest.mark.parametrize(("definitions", "body", "expected"), [
    ("", f"{_CHECKED}raise errors[0]\n    c.commit()", YES),
    ("", f"{_CHECKED}log.error(errors)\n    c.commit()", SKIP),
    ("def stop():\n    log.exception('x')", _POOLED, SKIP),
    (_MANAGER % ("raise", "else:"), _WITH, YES),
    (_MANAGER % ("pass", "else:"), _WITH, SKIP),
    (_MANAGER % ("raise", "finally:"), _WITH, SKIP),
    (_HELPER, f"{_POLL}tries(save, m)\n    c.commit(m)", SKIP),
    (_HELPER, f"{_POLL}if not tries(save, m):\n        log.error(m)\n    c.commit(m)", SKIP),
    (_HELPER, f"{_POLL}if not tries(save, m):\n        raise Failed\n    c.commit(m)", YES),
])  # fmt: skip
def test_python_helpers_and_context_managers_are_followed(
    definitions: str, body: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "app.py", _PYTHON % (definitions, body), expected)


def test_a_program_of_empty_lines_is_refused(tmp_path: Path) -> None:
    code = WITH_METHOD % (LOOP % ("\n" * 90_000), "")
    path = tmp_path / "A.java"
    path.write_text(code)
    with pytest.raises(AssertionError, match="more than 1000 empty lines"):
        assert_program(path, "\n" + code, YES)
