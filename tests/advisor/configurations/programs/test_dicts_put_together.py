"""Dicts of settings in Python that are put together of others, changed, or emptied again."""

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
_METHOD = 'def of(a):\n    if a:\n        return {"acks": "1"}\n    return {"acks": "all"}\n'
ONE, EITHER = "acks: 1 -> all", "acks depends on a condition of the program"


@pytest.mark.parametrize(("made", "code", "expected"), [
    # one of two dicts
    (f"{_TWO}conf = strong if a else weak", 2, EITHER),
    (f'{_TWO}conf = {{**(strong if a else weak), "linger.ms": 5}}', 2, EITHER),
    (f"{_METHOD}conf = of(x)", 2, EITHER),
    # one inside another, and one with itself
    (f'{_WEAK}every = {{}}\nevery["kafka"] = weak\nconf = every["kafka"]', 1, ONE),
    (f"{_WEAK}conf = weak\nconf.update(conf)", 1, ONE),
    # what is taken out again, always or sometimes
    (f'{_WEAK}conf = weak\nif a:\n    conf.pop("acks")', 2, EITHER),
    (f"{_WEAK}conf = weak\nif a:\n    conf.clear()", 2, EITHER),
    (f"{_WEAK}conf = weak\nconf.clear()", 2, "producer or consumer of confluent-kafka"),
    # what comes from elsewhere
    ("conf = copy.copy(load())", 2, "comes from elsewhere"),
    (f'{_STRONG}conf = strong\nconf.setdefault(name, "1")', 2, "is put into a client's dict"),
    ('conf = {"acks": int(os.environ.get("ACKS", "1"))}', 1, ONE),
    ('conf = {"acks": "all", "client.id": "a-" + host}', 0, "^YES"),
])  # fmt: skip
def test_a_dict_that_is_put_together_has_this_answer(
    tmp_path: Path, made: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "a.py", _PROGRAM % made, "", C, code, expected)
