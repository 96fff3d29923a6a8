"""How names of settings and sources are formatted on the pages of the labs."""

from __future__ import annotations

from labs.templatetags.labs_tags import dotted, tickets


def test_the_name_of_a_setting_may_wrap_after_dots_and_is_escaped() -> None:
    assert dotted("topic.flush.ms") == "topic.<wbr>flush.<wbr>ms"
    assert dotted("acks") == "acks"
    assert dotted("<b>.c") == "&lt;b&gt;.<wbr>c"


def test_a_source_links_its_tickets_and_shows_code() -> None:
    html = tickets("TopicConfig `a<b`, KIP-937 and KAFKA-1; a ` alone")
    assert "<code>a&lt;b</code>" in html
    assert ">KIP-937</a>" in html
    assert ">KAFKA-1</a>" in html
    assert html.endswith("; a ` alone")
