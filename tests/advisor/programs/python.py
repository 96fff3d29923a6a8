"""Parts of programs with confluent-kafka: a consumer, the heads of its loops, a producer."""

from __future__ import annotations

READER = (
    'c = Consumer({"group.id": "g", "auto.offset.reset": "earliest", "enable.auto.commit": False})'
    "\n"
    'c.subscribe(["t"])\n'
)
LOOP = "while True:\n    m = c.poll(1.0)\n"
BATCH = "while True:\n    ms = c.consume(10, 1)\n"
WRITER = 'p = Producer({"acks": "all"})\n'
