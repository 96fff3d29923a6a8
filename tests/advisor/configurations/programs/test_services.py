"""Consumers in Kotlin and Python as services write them: settings, a loop, and functions.

Each row has the body of the loop, the definitions outside the loop, and the answer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, SKIP, YES, assert_program

KOTLIN = (
    "package com.acme\n"
    "\n"
    "import org.apache.kafka.clients.consumer.ConsumerConfig\n"
    "import org.apache.kafka.clients.consumer.ConsumerRecord\n"
    "import org.apache.kafka.clients.consumer.KafkaConsumer\n"
    "import java.time.Duration\n"
    "import java.util.Properties\n"
    "\n"
    "class OrderListener(private val repo: OrderRepository) {\n"
    "    private val log = LoggerFactory.getLogger(javaClass)\n"
    "    private val props = Properties().apply {\n"
    '        put(ConsumerConfig.GROUP_ID_CONFIG, "orders")\n'
    '        put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest")\n'
    '        put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false")\n'
    "    }\n"
    "    private val consumer = KafkaConsumer<String, String>(props)\n"
    "\n"
    "    suspend fun run() {\n"
    '        consumer.subscribe(listOf("orders"))\n'
    "        while (true) {\n"
    "            val records = consumer.poll(Duration.ofMillis(500))\n"
    "%s\n"
    "        }\n"
    "    }\n"
    "%s\n"
    "}\n"
)
LOOP = "for (record in records) {\n%s\n}\nconsumer.commitSync()"
PYTHON = (
    "import json\n"
    "import logging\n"
    "\n"
    "import requests\n"
    "from confluent_kafka import Consumer, KafkaError, KafkaException, Producer\n"
    "\n"
    "log = logging.getLogger(__name__)\n"
    "%s\n"
    "\n"
    "def main():\n"
    "    consumer = Consumer({\n"
    '        "bootstrap.servers": "k:9092",\n'
    '        "group.id": "orders",\n'
    '        "auto.offset.reset": "earliest",\n'
    '        "enable.auto.commit": False,\n'
    "    })\n"
    '    consumer.subscribe(["orders"])\n'
    "    try:\n"
    "        while True:\n"
    "            msg = consumer.poll(1.0)\n"
    "            if msg is None:\n"
    "                continue\n"
    "            if msg.error():\n"
    "                if msg.error().code() == KafkaError._PARTITION_EOF:\n"
    "                    continue\n"
    "                raise KafkaException(msg.error())\n"
    "%s\n"
    "    except KeyboardInterrupt:\n"
    "        pass\n"
    "    finally:\n"
    "        consumer.close()\n"
    "\n"
    "\n"
    'if __name__ == "__main__":\n'
    "    main()\n"
)


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    ("handle(record)",
     "    private fun handle(record: ConsumerRecord<String, String>) {\n"
     "        repo.save(record.value().toOrder())\n    }", YES),
    ("handle(record)",
     "    private fun handle(record: ConsumerRecord<String, String>) {\n"
     "        val order = record.value().toOrder()\n"
     "        scope.launch { repo.save(order) }\n    }", BEFORE),
    ("handle(record)",
     "    private fun handle(record: ConsumerRecord<String, String>) {\n"
     "        runCatching { repo.save(record.value().toOrder()) }\n"
     '            .onFailure { log.error("failed", it) }\n    }', SKIP),
    ("handle(record)",
     "    private fun handle(record: ConsumerRecord<String, String>) {\n"
     "        runCatching { repo.save(record.value().toOrder()) }\n"
     '            .onFailure { log.error("failed", it) }\n            .getOrThrow()\n    }', YES),
    ("handle(record)",
     "    private fun handle(record: ConsumerRecord<String, String>): Boolean =\n"
     "        try {\n            repo.save(record.value().toOrder())\n            true\n"
     '        } catch (e: Exception) {\n            log.error("failed", e)\n'
     "            false\n        }", SKIP),
    ("val order = runCatching { json.decodeFromString<Order>(record.value()) "
     "}.getOrNull() ?: continue\n"
     "repo.save(order)",
     "", SKIP),
    ("repo.runCatching { save(record.value()) }", "", SKIP),
    ('withTimeoutOrNull(1_000) { repo.save(record.value()) } ?: log.warn("slow")', "", SKIP),
    ('withTimeoutOrNull(1_000) { repo.save(record.value()) } ?: error("slow")', "", YES),
    ("val order = json.decodeFromString<Order>(record.value())\n"
     'log.info("order {}", order.id)\nrepo.save(order)',
     "", YES),
    ('when (record.topic()) {\n    "orders" -> repo.save(record.value())\n'
     '    else -> error("unknown ${record.topic()}")\n}',
     "", YES),
    ("retry(limitAttempts(5)) { repo.save(record.value()) }", "", YES),
    ('producer.send(ProducerRecord("out", record.key(), record.value())).get()', "", YES),
])  # fmt: skip
def test_a_kotlin_service_must_process_each_record_before_the_commit(
    tmp_path: Path, body: str, definitions: str, expected: str
) -> None:
    assert_program(tmp_path / "OrderListener.kt", KOTLIN % (LOOP % body, definitions), expected)


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    ("coroutineScope {\n    records.forEach { launch { repo.save(it.value()) } }\n}\n"
     "consumer.commitSync()",
     "", YES),
    ("supervisorScope {\n    records.forEach { launch { repo.save(it.value()) } }\n}\n"
     "consumer.commitSync()",
     "", SKIP),
    ("records.map { scope.async { repo.save(it.value()) } }.awaitAll()\n"
     "consumer.commitSync()",
     "", YES),
    ("records.map { scope.async { repo.save(it.value()) } }.joinAll()\n"
     "consumer.commitSync()",
     "", SKIP),
    ("val jobs = records.map { scope.launch { repo.save(it.value()) } }\njobs.joinAll()\n"
     "consumer.commitSync()",
     "", SKIP),
    ("records.forEach { channel.trySend(it.value()) }\nconsumer.commitSync()", "", BEFORE),
    ("records.asFlow().onEach { repo.save(it.value()) }.launchIn(scope)\n"
     "consumer.commitSync()",
     "", BEFORE),
    ("records.asFlow().onEach { repo.save(it.value()) }.collect()\nconsumer.commitSync()",
     "", YES),
    ('records.asFlow().map { repo.save(it.value()) }.catch { log.error("x", it) }.collect()\n'
     "consumer.commitSync()",
     "", SKIP),
    ("records.chunked(100).forEach { batch -> repo.saveAll(batch.map { it.value() }) }\n"
     "consumer.commitSync()",
     "", YES),
    ("records.chunked(100).first().let { batch -> repo.saveAll(batch.map { it.value() }) }\n"
     "consumer.commitSync()",
     "", SKIP),
    ("records.takeIf { !it.isEmpty }?.forEach { repo.save(it.value()) }\n"
     "consumer.commitSync()",
     "", YES),
    ("if (records.count() > 0) {\n    repo.saveAll(records.map { it.value() })\n"
     "    consumer.commitSync()\n}",
     "", YES),
    ("mutex.withLock { records.forEach { repo.save(it.value()) } }\nconsumer.commitSync()",
     "", YES),
    ("records.forEach { record ->\n    try {\n        repo.save(record.value())\n"
     "    } catch (e: CancellationException) {\n        throw e\n"
     '    } catch (e: Exception) {\n        log.error("failed", e)\n    }\n}\n'
     "consumer.commitSync()",
     "", SKIP),
    ("records.forEach { record ->\n    try {\n        repo.save(record.value())\n"
     "    } catch (e: Exception) {\n        deadLetters.publish(record, e)\n    }\n}\n"
     "consumer.commitSync()",
     "", YES),
    ("val orders = records.map { json.decodeFromString<Order>(it.value()) }\n"
     "if (orders.isNotEmpty()) repo.saveAll(orders)\nconsumer.commitSync()",
     "", YES),
    ("records.groupBy { it.partition() }.forEach { (partition, rows) ->\n"
     "    repo.saveAll(rows.map { it.value() })\n"
     '    consumer.commitSync(mapOf(TopicPartition("orders", partition) to '
     "OffsetAndMetadata(rows.last().offset() + 1)))\n"
     "}",
     "", YES),
    ("transaction {\n    records.forEach { Orders.insert { row -> row[id] = it.key() } }\n"
     "}\nconsumer.commitSync()",
     "", YES),
    ("withTimeout(30_000) {\n    records.forEach { repo.save(it.value()) }\n}\n"
     "consumer.commitSync()",
     "", YES),
])  # fmt: skip
def test_a_kotlin_service_must_process_all_records_before_the_commit(
    tmp_path: Path, body: str, definitions: str, expected: str
) -> None:
    assert_program(tmp_path / "OrderListener.kt", KOTLIN % (body, definitions), expected)


@pytest.mark.parametrize(("body", "definitions", "expected"), [
    ("handle(msg)\nconsumer.commit(msg)",
     "def handle(msg):\n    db.save(json.loads(msg.value()))\n", YES),
    ("handle(msg)\nconsumer.commit(msg)",
     "def handle(msg):\n    r = requests.post(URL, data=msg.value())\n"
     "    log.info(r.status_code)\n", SKIP),
    ("handle(msg)\nconsumer.commit(msg)",
     "def handle(msg):\n    r = requests.post(URL, data=msg.value(), timeout=5)\n"
     "    r.raise_for_status()\n", YES),
    ("handle(msg)\nconsumer.commit(msg)",
     "def handle(msg):\n    requests.post(URL, data=msg.value(), timeout=5)\n", SKIP),
    ("order = json.loads(msg.value())\npool.submit(save, order)\nconsumer.commit(msg)",
     "", BEFORE),
    ("order = json.loads(msg.value())\nconsumer.commit(msg)\nsave(order)", "", BEFORE),
    ("log.info('got %s', msg.value())\nconsumer.commit(msg)\nsave(msg)", "", BEFORE),
    ("try:\n    order = json.loads(msg.value())\nexcept ValueError:\n"
     "    log.warning('bad')\n    continue\nsave(order)\nconsumer.commit(msg)",
     "", SKIP),
    ("try:\n    order = json.loads(msg.value())\nexcept ValueError:\n    dead_letter(msg)\n"
     "    consumer.commit(msg)\n    continue\nsave(order)\nconsumer.commit(msg)",
     "", YES),
    ("for attempt in range(3):\n    try:\n        save(msg)\n        break\n"
     "    except Exception:\n        log.exception('retry')\nconsumer.commit(msg)",
     "", SKIP),
    ("for attempt in range(3):\n    try:\n        save(msg)\n        break\n"
     "    except Exception:\n        log.exception('retry')\nelse:\n"
     "    raise RuntimeError('gave up')\nconsumer.commit(msg)",
     "", YES),
    ("done = False\nattempts = 0\nwhile not done and attempts < 3:\n    done = save(msg)\n"
     "    attempts += 1\nconsumer.commit(msg)",
     "", SKIP),
    ("done = False\nattempts = 0\nwhile not done and attempts < 3:\n    done = save(msg)\n"
     "    attempts += 1\nif not done:\n    raise RuntimeError\nconsumer.commit(msg)",
     "", YES),
    ("batch.append(msg)\nif len(batch) >= 100:\n    save_all(batch)\n    consumer.commit()\n"
     "    batch.clear()",
     "batch = []\n", YES),
    ("batch.append(msg)\nif len(batch) >= 100:\n    save_all(batch)\n    batch.clear()\n"
     "consumer.commit()",
     "batch = []\n", BEFORE),
    ("batch.append(msg)\nif len(batch) >= 100:\n    save_all(batch[:50])\n"
     "    consumer.commit()\n    batch.clear()",
     "batch = []\n", SKIP),
    ("asyncio.create_task(save(msg))\nconsumer.commit(msg)", "", BEFORE),
    ("queue.put(msg)\nconsumer.commit(msg)", "import queue as q\nqueue = q.Queue()\n", BEFORE),
    ("producer.produce('out', msg.value())\nconsumer.commit(msg)",
     "producer = Producer({'acks': 'all'})\n", BEFORE),
    ("producer.produce('out', msg.value(), on_delivery=failed)\nproducer.flush()\n"
     "consumer.commit(msg)",
     "producer = Producer({'acks': 'all'})\ndef failed(e, m):\n"
     "    if e: raise KafkaException(e)\n", YES),
    ("cursor.execute('INSERT INTO t VALUES (%s)' , (msg.value(),))\nconsumer.commit(msg)\n"
     "conn.commit()",
     "", BEFORE),
    ("cursor.execute('INSERT INTO t VALUES (1)' , (msg.value(),))\nconn.commit()\n"
     "consumer.commit(msg)",
     "", YES),
    ("subprocess.run(['load', msg.value()])\nconsumer.commit(msg)", "", SKIP),
    ("subprocess.run(['load', msg.value()], check=True)\nconsumer.commit(msg)", "", YES),
    ("rc = subprocess.call(['load', msg.value()])\nconsumer.commit(msg)", "", SKIP),
    ("os.system('load ' + msg.value().decode())\nconsumer.commit(msg)", "", SKIP),
    ("threading.Thread(target=save, args=(msg,)).start()\nconsumer.commit(msg)", "", BEFORE),
    ("with suppress(Exception):\n    save(msg)\nconsumer.commit(msg)", "", SKIP),
    ("resp = session.post(URL, json=json.loads(msg.value()))\nconsumer.commit(msg)",
     "session = requests.Session()\n", SKIP),
    ("resp = httpx.post(URL, json=json.loads(msg.value()))\nconsumer.commit(msg)",
     "import httpx\n", SKIP),
    ("order = json.loads(msg.value())\nlog.info('order %s', order['id'])\n"
     "with engine.begin() as conn:\n    conn.execute(orders.insert().values(**order))\n"
     "consumer.commit(message=msg, asynchronous=False)",
     "", YES),
    ("order = json.loads(msg.value())\n"
     "response = requests.post(URL, json=order, timeout=10)\nif not response.ok:\n"
     "    raise RuntimeError(response.text)\nconsumer.commit(msg)",
     "", YES),
    ("order = json.loads(msg.value())\n"
     "response = requests.post(URL, json=order, timeout=10)\nresponse.raise_for_status()\n"
     "log.info('done %s', response.status_code)\nconsumer.commit(msg)",
     "", YES),
    ("s = requests.Session()\nwith s.post(URL, data=msg.value()) as r:\n"
     "    r.raise_for_status()\nconsumer.commit(msg)",
     "", YES),
    ("ok = save(msg)\nwhile not ok:\n    time.sleep(1)\n    ok = save(msg)\n"
     "consumer.commit(msg)",
     "", YES),
    ("inserted = collection.insert_one(json.loads(msg.value()))\n"
     "log.info('inserted %s', inserted.inserted_id)\nconsumer.commit(msg)",
     "", YES),
    ("status = cursor.execute('INSERT', (msg.value(),))\nconn.commit()\n"
     "consumer.commit(msg)",
     "", YES),
    ("if msg.key() in seen:\n    continue\nhandle(msg)\nseen.add(msg.key())\n"
     "consumer.commit(msg)",
     "seen = set()\n", YES),
    ("batch.append(msg)\nif len(batch) < 100:\n    continue\n"
     "save_all([json.loads(m.value()) for m in batch])\nconsumer.commit()\nbatch = []",
     "batch = []\n", YES),
    ("subprocess.check_call(['load', msg.value()])\nconsumer.commit(msg)", "", YES),
    ("proc = subprocess.run(['load', msg.value()])\nif proc.returncode:\n"
     "    raise SystemExit(1)\nconsumer.commit(msg)",
     "", YES),
    ("for attempt in range(5):\n    done = save(msg)\n    if done:\n        break\nelse:\n"
     "    raise RuntimeError('gave up')\nconsumer.commit(msg)",
     "", YES),
])  # fmt: skip
def test_a_python_service_must_process_a_message_before_the_commit(
    tmp_path: Path, body: str, definitions: str, expected: str
) -> None:
    loop_body = "".join(f"            {line}\n" for line in body.splitlines())
    assert_program(tmp_path / "orders.py", PYTHON % (definitions, loop_body), expected)
