"""Python programs whose clients have coroutine methods, and programs that use other brokers.

Each row has the code before the loop, the code that processes a message, and the answer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program

_PROGRAM = """import asyncio
from confluent_kafka import Consumer
{more}
c = Consumer({{"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"}})
c.subscribe(["t"])
async def main():
    while True:
        m = c.poll(1.0)
        if m is None:
            continue
        if m.error():
            raise RuntimeError(m.error())
        {body}
        c.commit(m)
asyncio.run(main())
"""
_HTTP = "import aiohttp\nsession = aiohttp.ClientSession({})"
_POST = "async with session.post('http://x', data=m.value()) as r:\n            {}"
_REDIS = "import redis.asyncio as redis\nr = redis.Redis()"
_SQL = "from sqlalchemy.ext.asyncio import AsyncSession\nsession: AsyncSession = make()"
_ADD = "session.add(Order(m.value()))\n        "
_POOL = """import asyncpg
class Repo:
    def __init__(self, pool: asyncpg.Pool):
        self.pool = pool
    async def save(self, m):
        {}self.pool.execute('insert', m.value())
repo = Repo(None)"""
_MOTOR = "from motor.motor_asyncio import AsyncIOMotorClient\ndb = AsyncIOMotorClient('x').shop"
_STATUS = "status = requests.post('http://x', data=m.value()).status_code\n        "
_CONNECTION = "import http.client\nconn = http.client.HTTPSConnection('x')"
_REQUEST = "conn.request('POST', '/', m.value())\n        r = conn.getresponse()\n        "
_LOGS = "def told(f):\n    if f.exception():\n        log.error(f.exception())"
_UDP = "import socket\nsock = socket.socket(socket.AF_INET, socket.SOCK_{})"
_SINK = """class Sink:
    def __init__(self):
        self.buffer = []
    def add(self, message):
        self.buffer.append(message)
        if len(self.buffer) > 100:
            self.flush()
    def flush(self):
        db.save(self.buffer)
        self.buffer = []
sink = Sink()"""
_PIKA = "import pika\nchannel = pika.BlockingConnection().channel()"
_MQTT = "import paho.mqtt.client as mqtt\nclient = mqtt.Client()"


@pytest.mark.parametrize(("declarations", "body", "expected"), [
    # coroutines that are not awaited
    (_HTTP.format(""), "session.post('http://x', data=m.value())", ASIDE),
    (_MOTOR, "db.orders.insert_one({'v': m.value()})", ASIDE),
    (_MOTOR, "await db.orders.insert_one({'v': m.value()})", YES),
    ("from pymongo import AsyncMongoClient\nx = AsyncMongoClient()['a']['b']",
     "x.insert_one({'v': m.value()})", ASIDE),
    ("from pymongo import MongoClient\nx = MongoClient()['a']['b']",
     "x.insert_one({'v': m.value()})", YES),
    (_REDIS, "r.set(m.key(), m.value())", ASIDE),
    ("from redis import asyncio as aioredis\nr = aioredis.from_url('x')",
     "r.set(m.key(), m.value())", ASIDE),
    ("import redis\nr = redis.Redis()", "r.set(m.key(), m.value())", YES),
    (_REDIS, "p = r.pipeline()\n        p.set(m.key(), m.value())\n        await p.execute()", YES),
    (_POOL.format(""), "await repo.save(m)", ASIDE),
    (_POOL.format("await "), "await repo.save(m)", YES),
    (_SQL, f"{_ADD}session.commit()", ASIDE),
    (_SQL, f"{_ADD}await session.commit()", YES),
    ("", "asyncio.to_thread(save, m)", ASIDE),
    ("", "await asyncio.to_thread(save, m)", YES),
    ("", "t = asyncio.create_task(save(m))\n        await t", YES),
    ("", "t = asyncio.create_task(save(m))", ASIDE),
    # requests whose status is not checked
    (_HTTP.format(""), _POST.format("await r.text()"), SKIP),
    (_HTTP.format("raise_for_status=True"), _POST.format("await r.text()"), YES),
    (_HTTP.format(""), _POST.format("r.raise_for_status()"), YES),
    (_HTTP.format(""), _POST.format("await check(r)"), YES),
    ("import httpx\nh = httpx.AsyncClient()", "await h.post('http://x', content=m.value())", SKIP),
    ("import httpx\nh = httpx.AsyncClient()",
     "(await h.post('http://x', content=m.value())).raise_for_status()", YES),
    ("import requests", "requests.request('POST', 'http://x', data=m.value())", SKIP),
    ("import urllib3\nh = urllib3.PoolManager()", "h.request('POST', 'http://x', m.value())", SKIP),
    # outcomes that are only logged
    ("", "res = handle(m.value())\n        if not res.ok:\n            log.error(res)", SKIP),
    ("", "res = handle(m.value())\n        if not res.ok:\n            raise Failed(res)", YES),
    ("", "res = handle(m.value())\n        if res.is_err():\n            log.error(res)", SKIP),
    ("", "ok, err = save(m.value())\n        if err:\n            log.error(err)", SKIP),
    ("", "err = save(m.value())\n        if err is not None:\n            raise RuntimeError(err)",
     YES),
    ("", "try:\n            save(m)\n        except* Failed as e:\n            log.error(e)", SKIP),
    ("", "f.invoke(FunctionName='f', Payload=m.value())", SKIP),
    ("", "f.invoke(FunctionName='f', InvocationType='Event', Payload=m.value())", YES),
    ("", "match handle(m):\n            case Failure(e):\n                log.warning(e)", SKIP),
    ("", "match handle(m):\n            case Failure(e):\n                raise e", YES),
    ("", "match handle(m):\n            case Ok(v):\n                log.info(v)", SKIP),
    ("", "match kind(m):\n            case 'a':\n                save(m)", YES),
    ("", "missing = save(m) is None\n        if missing:\n            log.warning('x')", SKIP),
    ("", "missing = save(m) is None\n        if missing:\n            raise Failed", YES),
    ("import requests", f"{_STATUS}if status != 200:\n            log.error('%s', status)", SKIP),
    ("import requests", f"{_STATUS}if status != 200:\n            raise Failed(status)", YES),
    ("import requests", f"{_STATUS}if 200 <= status < 300:\n            log.info('x')\n        "
     "else:\n            log.error('y')", SKIP),
    ("import requests", "log.info(requests.post('http://x', data=m.value()).status_code)", SKIP),
    (_CONNECTION, "conn.request('POST', '/', m.value())", SKIP),
    (_CONNECTION, f"{_REQUEST}b = r.read()\n        if r.status != 200:\n            log.error(b)",
     SKIP),
    (_CONNECTION, f"{_REQUEST}if r.status != 200:\n            raise Failed(r.status)", YES),
    # calls that return immediately, and buffers
    ("", "stub.Save.future(m.value()).add_done_callback(lambda f: log.info(f))", ASIDE),
    (_LOGS, "f = pool.submit(save, m)\n        f.add_done_callback(told)", ASIDE),
    ("import socket", "sock.sendto(m.value(), place)", ASIDE),
    (_UDP.format("DGRAM"), "sock.send(m.value())", ASIDE),
    (_UDP.format("STREAM"), "sock.sendall(m.value())", YES),
    (_SINK, "sink.add(m)", BEFORE),
    (_SINK, "sink.add(m)\n        sink.flush()", YES),
    ("", "session.execute_async(stmt, (m.value(),))", ASIDE),
    ("", "session.execute_async(stmt, (m.value(),)).result()", YES),
    ("", "stub.Save.future(Request(v=m.value()))", ASIDE),
    ("b = db.batch()", "b.set(doc, {'v': m.value()})", BEFORE),
    ("b = db.batch()", "b.set(doc, {'v': m.value()})\n        b.commit()", YES),
    # other brokers
    (_PIKA, "channel.basic_publish('', 'q', m.value())", ASIDE),
    (f"{_PIKA}\nchannel.confirm_delivery()", "channel.basic_publish('', 'q', m.value())", YES),
    (_MQTT, "client.publish('t', m.value(), qos=1)", ASIDE),
    (_MQTT, "client.publish('t', m.value(), qos=1).wait_for_publish()", YES),
])  # fmt: skip
def test_work_that_is_not_awaited_or_not_checked_is_reported(
    declarations: str, body: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "app.py", _PROGRAM.format(more=declarations, body=body), expected)
