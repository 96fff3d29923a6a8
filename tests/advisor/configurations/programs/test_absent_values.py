"""Values that are missing after an error: null, None, or an empty Option.

Source: scala.util.Try (`getOrElse`, `toOption`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import LOOP, READER, SCALA

_EACH = "for (R r : rs) {{ {} }} c.commitSync();"
_PARSES = "Order o = null; try { o = parse(r); } catch (Exception e) { log.warn(e); } "
_PARSES_OPTION = "try { o = Optional.of(parse(r)); } catch (Exception e) { o = Optional.empty(); } "
_MATCH = "%s match {\ncase Some(x) => save(x)\ncase None => %s\n}"
_OPTION = (
    "def parse(r: R): Option[Order] = try { Some(read(r)) } catch { case e: Exception => None }\n"
)
_TRY_PARSE = "val o = try { Some(parse(r)) } catch { case e: Exception => None }\n"


@pytest.mark.parametrize(("loop", "expected"), [
    (_EACH.format(_PARSES + "if (o != null) save(o);"), SKIP),
    (_EACH.format(_PARSES + "if (o == null) continue; save(o);"), SKIP),
    (_EACH.format(_PARSES + "if (o != null) { save(o); } else { letters.send(r).get(); }"), YES),
    (_EACH.format(_PARSES + "if (o == null) throw new E(); save(o);"), YES),
    (_EACH.format(f"Optional<Order> o; {_PARSES_OPTION}o.ifPresent(this::save);"), SKIP),
    (_EACH.format(f"Optional<Order> o; {_PARSES_OPTION}"
                  "o.ifPresentOrElse(this::save, () -> letters.store(r));"), YES),
])  # fmt: skip
def test_a_java_record_whose_value_is_missing_after_an_error_is_skipped(
    tmp_path: Path, loop: str, expected: str
) -> None:
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)


@pytest.mark.parametrize(("body", "declarations", "expected"), [
    ("val o = Try(parse(r)).getOrElse(null)\nif (o != null) save(o)", "", SKIP),
    ("val o = try Some(parse(r)) catch { case e: Exception => None }\no.foreach(save)", "", SKIP),
    ("val o = try Some(parse(r)) catch { case e: Exception => None }\n"
     + _MATCH % ("o", "letters.store(r)"), "", YES),
    ("val o = try Some(parse(r)) catch { case e: Exception => None }\n"
     "o.fold(letters.store(r))(save)", "", YES),
    ("val o = Try(parse(r)).toOption.orNull\nif (o != null) save(o)", "", SKIP),
    (_TRY_PARSE + _MATCH % ("o", "log.warn(1)"), "", SKIP),
    (_TRY_PARSE + _MATCH % ("o", "throw new E()"), "", YES),
    (_MATCH % ("parse(r)", "log.warn(1)"), _OPTION, SKIP),
    (_MATCH % ("parse(r)", "letters.send(r).get()"), _OPTION, YES),
    (_MATCH % ("find(r)", "insert(r)"), "", YES),
    ("val o = process(r)\no.toOption match { case None => log.error(1); case Some(_) => () }", "",
     SKIP),
    ("process(r).toOption match { case None => log.error(1)\ncase _ => }", "", SKIP),
    ("process(r).toOption match { case None => letters.store(r)\ncase _ => }", "", YES),
])  # fmt: skip
def test_a_scala_loop_that_skips_missing_values_is_reported(
    tmp_path: Path, body: str, declarations: str, expected: str
) -> None:
    loop = f"for (r <- rs.asScala) {{\n{body}\n}}\nc.commitSync()"
    assert_program(tmp_path / "A.scala", SCALA % (loop, declarations), expected)
