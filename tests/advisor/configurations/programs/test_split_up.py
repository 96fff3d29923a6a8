"""The same work with a record in several forms: in a method, in a function, in an object."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import KOTLIN, LOOP, WITH_METHOD
from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program

_METHOD = "void handle(ConsumerRecord<String, String> r) {\n%s\n}"
_FORMS = {
    "method": ("for (var it : rs) { handle(it); }", _METHOD),
    "reference": ("rs.forEach(this::handle);", _METHOD),
    "lambda": ("rs.forEach(r -> {\n%s\n});", ""),
    "variable": ("Work w = r -> {\n%s\n};\nrs.forEach(w);", ""),
    "held": ("Work w = this::handle;\nrs.forEach(w::accept);", _METHOD),
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
def test_work_is_the_same_in_each_form(form: str, work: str, expected: str, tmp_path: Path) -> None:
    loop, more = _FORMS[form]
    loop, more = (part % work if "%s" in part else part for part in (loop, more))
    ends = "" if "commitSync" in work else "\nc.commitSync();"
    assert_program(tmp_path / "A.java", WITH_METHOD % (LOOP % f"{loop}{ends}", more), expected)


_FUN = "fun handle(r: ConsumerRecord<String, String>) {\n%s\n}"
_EXTENSION = "fun ConsumerRecord<String, String>.handle() {\n%s\n}"
_ALL = f"fun every(batch: ConsumerRecords<String, String>) = batch.forEach {{ handle(it) }}\n{_FUN}"
_OR_LEFT = "val v = runCatching { read(r) }.getOrElse { log.warn(it); return }\nsave(v)"


@pytest.mark.parametrize(("loop", "more", "expected"), [
    ("every(rs)\nc.commitSync()", _ALL % "save(r)", YES),
    ("every(rs)\nc.commitSync()", _ALL % "runCatching { save(r) }", SKIP),
    ("every(rs)\nc.commitSync()", _ALL % "scope.launch { save(r) }", ASIDE),
    ("rs.forEach(::handle)", _FUN % "c.commitSync()\nsave(r)", BEFORE),
    ("rs.forEach { it.handle() }\nc.commitSync()", _EXTENSION % "scope.launch { save(value()) }",
     ASIDE),
    ("for (x in rs) handle(x)\nc.commitSync()", _FUN % _OR_LEFT, SKIP),
    ("for (x in rs) handle(x)\nc.commitSync()", _FUN % _OR_LEFT.replace("log.warn", "dead"), YES),
])  # fmt: skip
def test_work_is_the_same_in_each_form_of_kotlin(
    loop: str, more: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "A.kt", KOTLIN % (loop, more), expected)


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
def test_an_error_of_groovy_needs_no_type(work: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "c.groovy", _GROOVY % work, expected)


_NEXT = "while (it.hasNext()) {\nvar r = it.next();\n%s\n}"


def test_a_commit_in_a_loop_by_an_iterator_is_of_all_that_was_polled(tmp_path: Path) -> None:
    loop = f"var it = rs.iterator();\n{_NEXT % 'save(r.value());%sc.commitSync();'}"
    code = WITH_METHOD % (LOOP % (loop % "\n"), "")
    assert_program(tmp_path / "A.java", code, BEFORE)


_TRIES = (
    "Row tries(ConsumerRecord<String, String> r) {\nfor (int i = 0; i < 3; i++) {\n"
    "try { return save(r.value()); } catch (RuntimeException e) { log.warn(e); }\n}\n%s\n}"
)
_PARKS = (
    'void park(ConsumerRecord<String, String> r) { k.send(new ProducerRecord<>("d", r.value()),\n'
    "(m, e) -> { if (e != null) System.exit(1); });%s }\nKafkaProducer<String, String> k;"
)
_TRIED = "try { save(r); } catch (Exception e) { park(r); }"


@pytest.mark.parametrize(("each", "more", "expected"), [
    ("tries(r);", _TRIES % "return null;", SKIP),
    ("Row v = tries(r);\nlog.info(v);", _TRIES % "return null;", SKIP),
    ("Row v = tries(r);\nif (v == null) { log.error(r); }", _TRIES % "return null;", SKIP),
    ("Row v = tries(r);\nif (v == null) { throw new X(); }", _TRIES % "return null;", YES),
    ("tries(r).orElseThrow();", _TRIES % "return Optional.empty();", YES),
    ("tries(r);", _TRIES % "throw new X();", YES),
    # what a method sends is on the way when it returns
    (_TRIED, _PARKS % "", BEFORE),
    (_TRIED, _PARKS % " k.flush();", YES),
    ("park(r);\nk.flush();", _PARKS % "", YES),
])  # fmt: skip
def test_what_a_method_makes_of_a_record_is_asked_where_it_is_called(
    each: str, more: str, expected: str, tmp_path: Path
) -> None:
    loop = LOOP % f"for (var r : rs) {{\n{each}\n}}\nc.commitSync();"
    assert_program(tmp_path / "A.java", WITH_METHOD % (loop, more), expected)


_PYTHON = """from confluent_kafka import Consumer
from contextlib import contextmanager
%s
c = Consumer({"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"})
c.subscribe(["t"])
while True:
%s
"""
_ONE = "    m = c.poll(1)\n    if m is None or m.error():\n        continue\n    "
_MANY = "    ms = c.consume(100)\n    fs = [pool.submit(save, m) for m in ms]\n    "
_ASKED = f"{_MANY}errors = [f.exception() for f in fs if f.exception()]\n    if errors:\n        "
_MANAGER = """@contextmanager
def handled(consumer, message):
    try:
        yield message
    except Exception:
        log.exception("x")
        %s
    %s
        consumer.commit(message)"""
_WITH = f"{_ONE}with handled(c, m):\n        save(m)"
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


@pytest.mark.parametrize(("more", "body", "expected"), [
    ("", f"{_ASKED}raise errors[0]\n    c.commit()", YES),
    ("", f"{_ASKED}log.error(errors)\n    c.commit()", SKIP),
    ("def stop():\n    log.exception('x')", _POOLED, SKIP),
    (_MANAGER % ("raise", "else:"), _WITH, YES),
    (_MANAGER % ("pass", "else:"), _WITH, SKIP),
    (_MANAGER % ("raise", "finally:"), _WITH, SKIP),
    (_HELPER, f"{_ONE}tries(save, m)\n    c.commit(m)", SKIP),
    (_HELPER, f"{_ONE}if not tries(save, m):\n        log.error(m)\n    c.commit(m)", SKIP),
    (_HELPER, f"{_ONE}if not tries(save, m):\n        raise Failed\n    c.commit(m)", YES),
])  # fmt: skip
def test_what_a_helper_of_python_makes_of_a_message(
    more: str, body: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "app.py", _PYTHON % (more, body), expected)


def test_a_program_of_empty_lines_is_refused(tmp_path: Path) -> None:
    code = WITH_METHOD % (LOOP % ("\n" * 90_000), "")
    path = tmp_path / "A.java"
    path.write_text(code)
    with pytest.raises(AssertionError, match="more than 1000 empty lines"):
        assert_program(path, "\n" + code, YES)
