"""How names are written on the pages of the labs."""

from __future__ import annotations

from labs.templatetags.labs_tags import dotted


def test_a_setting_may_be_broken_after_its_dots_and_stays_escaped() -> None:
    assert dotted("topic.flush.ms") == "topic.<wbr>flush.<wbr>ms"
    assert dotted("acks") == "acks"
    assert dotted("<b>.c") == "&lt;b&gt;.<wbr>c"
