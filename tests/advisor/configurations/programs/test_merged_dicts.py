"""Python settings dicts that are built from other dicts, changed, or emptied."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import C, assert_file

_PROGRAM = (
    "from confluent_kafka import Producer\nimport copy, os\n%s\np = Producer(conf)\n"
    'p.produce("t", b"x", callback=heard)\np.flush()\n'
    "def heard(e, m):\n    if e: raise KafkaException(e)\n"
)
_STRONG, _WEAK = 'strong = {"acks": "all"}\n', 'weak = {"acks": "1"}\n'
_TWO = _STRONG + _WEAK
_FUNCTION = 'def of(a):\n    if a:\n        return {"acks": "1"}\n    return {"acks": "all"}\n'
ACKS_ONE, CONDITIONAL = "acks: 1 -> all", "acks depends on a condition of the program"


@pytest.mark.parametrize(("statements", "exit_code", "expected"), [
    # one of two dicts
    (f"{_TWO}conf = strong if a else weak", 2, CONDITIONAL),
    (f'{_TWO}conf = {{**(strong if a else weak), "linger.ms": 5}}', 2, CONDITIONAL),
    (f"{_FUNCTION}conf = of(x)", 2, CONDITIONAL),
    # a dict inside another, and a dict that is updated with itself
    (f'{_WEAK}every = {{}}\nevery["kafka"] = weak\nconf = every["kafka"]', 1, ACKS_ONE),
    (f"{_WEAK}conf = weak\nconf.update(conf)", 1, ACKS_ONE),
    # settings that are removed, always or under a condition
    (f'{_WEAK}conf = weak\nif a:\n    conf.pop("acks")', 2, CONDITIONAL),
    (f"{_WEAK}conf = weak\nif a:\n    conf.clear()", 2, CONDITIONAL),
    (f"{_WEAK}conf = weak\nconf.clear()", 2, "producer or consumer of confluent-kafka"),
    # settings from elsewhere
    ("conf = copy.copy(load())", 2, "comes from elsewhere"),
    (f'{_STRONG}conf = strong\nconf.setdefault(name, "1")', 2, "is put into a client's dict"),
    ('conf = {"acks": int(os.environ.get("ACKS", "1"))}', 1, ACKS_ONE),
    ('conf = {"acks": "all", "client.id": "a-" + host}', 0, "^YES"),
])  # fmt: skip
def test_the_settings_of_a_merged_dict_are_read(
    tmp_path: Path, statements: str, exit_code: int, expected: str
) -> None:
    assert_file(tmp_path / "a.py", _PROGRAM % statements, "", C, exit_code, expected)
