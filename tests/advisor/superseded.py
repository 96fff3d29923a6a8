"""Outdated or common wrong statements about Kafka, and what is true.

A pattern recognises the statement in plain text: lower case, without markup and line breaks
(`tests.advisor.speech`). Each has a sentence that it must catch and one that it must let pass.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Superseded:
    """A statement that must not be made. `now` is what is true, according to `source`."""

    pattern: str
    caught: str
    passed: str
    now: str
    source: str


SUPERSEDED = (
    Superseded(
        r"acks=1 (is |\()?(the )?default\b|default( is| of| to|s to)? acks=1\b"
        r"|acks defaults to 1\b",
        "acks=1 (the default) waits for the leader alone.",
        "acks=all is the default since 3.0; before, it was 1.",
        "acks=all is the default since 3.0", "KIP-679",
    ),
    Superseded(
        r"java[^.]{0,40}idempotence is (off|disabled|false) by default"
        r"|idempotence is (off|disabled|false) by default[^.;]{0,20}\bjava(?! before)",
        "Idempotence is off by default in the Java client.",
        "enable.idempotence=false, asked for or by default (librdkafka, Java before 3.0).",
        "idempotence is on by default in Java since 3.0 (3.0.1)", "KIP-679; KAFKA-13598",
    ),
    Superseded(
        r"idempotence is on by default (in|for) (all|any|every)"
        r"|librdkafka[^.]{0,40}idempotence is on by default",
        "Idempotence is on by default in every client.",
        "In librdkafka idempotence is off by default.",
        "librdkafka's default is off", "librdkafka CONFIGURATION.md",
    ),
    Superseded(
        r"java[^.]{0,40}(refuses|rejects) acks=[01]\b(?!.{0,60}idempotence)",
        "The Java client refuses acks=1.",
        "The Java client refuses acks=1 beside enable.idempotence=true.",
        "acks=1 alone switches idempotence off in silence", "ProducerConfig (3.0 and later)",
    ),
    Superseded(
        r"\bretries=0 (is |\()(the )?default|retries (is|defaults to) 0\b(?!.{0,20}before 2\.1)",
        "retries=0 (the default) gives up at once.", "retries=0: the first error is final.",
        "retries is 2147483647 since 2.1; delivery.timeout.ms ends it", "KIP-91",
    ),
    Superseded(
        r"linger\.ms=0 (is |\()(the )?default(?!.{0,20}before 4\.0)"
        r"|linger\.ms (is|defaults to) 0\b(?!.{0,20}before 4\.0)",
        "linger.ms defaults to 0, so nothing waits.", "linger.ms is 0 by default before 4.0.",
        "linger.ms is 5 in the Java client since 4.0", "KIP-1030",
    ),
    Superseded(
        r"(?<!broker\.)\bsession\.timeout\.ms\W{0,3}(is|of|defaults to|default)\W{0,3}"
        r"10[., ]?(000|s\b)(?!.{0,20}before 3\.0)"
        r"|session\.timeout\.ms=10[., ]?000 \(?(the )?default",
        "session.timeout.ms (default 10,000) decides.",
        "session.timeout.ms=10000: after that a member gives its partitions up.",
        "session.timeout.ms is 45 s since 3.0", "KIP-735",
    ),
    Superseded(
        r"\bmax\.in\.flight(\.requests\.per\.connection)?(=| must be | of )1\b"
        r"(?=.{0,30}(order|sequence))(?!.{0,80}idempot)|order[^.]{0,40} (needs|takes|requires) "
        r"max\.in\.flight",
        "Order needs max.in.flight.requests.per.connection=1.",
        "With max.in.flight=1, or with idempotence and up to 5, order is kept.",
        "idempotence keeps order with up to 5 in flight", "ProducerConfig; KAFKA-5494",
    ),
    Superseded(
        r"zookeeper (ensemble|session|quorum|node|elects|must|stores|keeps|chooses|knows)"
        r"|(from|by|to|in) zookeeper\b|(needs?|runs?|is|are) with zookeeper\b",
        "The controller is elected by ZooKeeper.", "ZooKeeper is gone since 4.0.",
        "a quorum of controllers (KRaft) decides; 4.0 has no ZooKeeper", "KIP-500; upgrade.md 4.0",
    ),
    Superseded(
        r"kraft( mode)? is (still )?(in )?(early access|a? ?preview|experimental|not)",
        "KRaft is experimental.", "All of these run in KRaft mode (production since 3.3).",
        "KRaft is for production since 3.3 and the only mode since 4.0", "KIP-833",
    ),
    Superseded(
        r"acks=[01] keeps? (the |a )?(pipeline|topic|partition|readers?|consumers?) "
        r"(running|readable|alive)|acks=[01][^.]{0,80}(read|seen|visible|delivered) at once",
        "acks=1 keeps the pipeline running below the minimum.",
        "acks=1 is acknowledged, and nobody can read it until enough replicas are back.",
        "the high watermark waits for min.insync.replicas since 3.7", "KAFKA-15583",
    ),
    Superseded(
        r"min\.insync\.replicas (has no effect|does nothing|is ignored|only counts|only matters"
        r"|counts only|matters only|applies only|only applies|only has)",
        "min.insync.replicas has no effect without acks=all.",
        "min.insync.replicas only holds back writes with acks=all.",
        "it also holds back what may be read, whatever acks is, since 3.7", "KAFKA-15583",
    ),
    Superseded(
        r"min\.insync\.replicas(=[0-9{}]+)?( is)? (above|greater than|larger than|over|>) "
        r"(the )?replication[. ]factor(?:(?!before kafka 3|before 3).){0,60}"
        r"(refus|fail|unavailable|unwrit|no write)",
        "With min.insync.replicas above replication.factor every write is refused.",
        "min.insync.replicas=2 is above replication.factor=1: before Kafka 3.7 writes are refused.",
        "the effective minimum is min(min.insync.replicas, RF) since 3.7", "KAFKA-15583",
    ),
    Superseded(
        r"(surviv|tolerat|withstand)\w*[^.]{0,60}(replication\.factor|\brf|\bn) ?[-−–] ?1\b",
        "A topic survives the loss of replication.factor - 1 brokers.",
        "replication.factor - 1 brokers down while what is committed can be read.",
        "sure to be survived with acks=all: min.insync.replicas - 1", "Kafka design.md; RECIPES",
    ),
    Superseded(
        r"writ(e|es|ing|able)\b[^.]{0,60}(replication\.factor|\brf) ?[-−–] ?1\b",
        "Writes go on with replication.factor - 1 brokers down.",
        "Writes go on with replication.factor - min.insync.replicas brokers down.",
        "brokers down with writes going on: RF - min.insync.replicas", "Kafka design.md; RECIPES",
    ),
    Superseded(
        r"(kill -9|sigkill|kills? (of )?the process)[^.]{0,60}(loses|takes|drops|empties)"
        r"[^.]{0,40}(page cache|unflushed|not (yet )?flushed|not (yet )?written)",
        "kill -9 loses the page cache.",
        "kill -9 does not lose the page cache; a power cut does.",
        "a process that is killed leaves its page cache to the kernel", "RECIPES",
    ),
    Superseded(
        r"eligible leader replicas (are|is) (still )?(a preview|experimental|off by default"
        r"|not (yet )?(on|enabled|there))|(kip-966|elr) is (a preview|off by default|coming)",
        "Eligible leader replicas are off by default.",
        "Eligible leader replicas are on for new clusters since 4.1.",
        "on for new clusters since 4.1", "KIP-966; org.apache.kafka.server.common.Feature",
    ),
    Superseded(
        r"(set|put|write) min\.insync\.replicas(=[0-9]+)? in(to)? (the |each |every )?"
        r"(brokers?'?s? |server\.properties)[^.]{0,20}(?!.{0,80}(cluster|kafka-configs))",
        "Set min.insync.replicas=2 in server.properties.",
        "Set it on the topic, or for the whole cluster with kafka-configs.",
        "a 4.1 cluster may pass over a broker's file", "KIP-966, eligible-leader-replicas.md",
    ),
    Superseded(
        r"(min\.insync\.replicas|default\.replication\.factor)( is|=|:| defaults to) ?[23]\b,?"
        r" (by default|\(?the default|is the default)|group\.protocol=consumer is the default",
        "default.replication.factor=3 is the default.",
        "min.insync.replicas=1 (the default) on a topic with more than one replica.",
        "both are still 1, and group.protocol still classic, in every 4.x", "ConfigDef",
    ),
    Superseded(
        r"(java|enable\.auto\.commit=true)[^.]{0,60}(is|gives|means) at[- ]most[- ]once",
        "In the Java client automatic commit is at-most-once.",
        "At-least-once while one thread polls and processes: the Java client commits in poll().",
        "the Java client commits what the poll before handed out", "KafkaConsumer javadoc",
    ),
    Superseded(
        r"librdkafka[^.]{0,80}(automatic commits?|auto[- ]commits?|enable\.auto\.commit)[^.]{0,40}"
        r"(is|are|gives) at[- ]least[- ]once",
        "With librdkafka automatic commit is at-least-once.",
        "librdkafka stores the offset before the application has the message.",
        "librdkafka stores the offset when it hands the message over", "librdkafka INTRODUCTION.md",
    ),
    Superseded(
        r"abort\w*[^.]{0,40}(rewinds|resets|moves back) the (consumer|position|offsets)"
        r"|consumer (goes|moves) back by itself",
        "An abort rewinds the consumer.", "The consumer does not go back by itself.",
        "after an abort the position must be set back by the code", "Kafka design.md; RECIPES",
    ),
    Superseded(
        r"idempotence (gives|means|is|guarantees) exactly[- ]once"
        r"|(enable\.idempotence|idempotence|idempotent producer)[^.]{0,50} "
        r"(across|even after|over) (a |its |the |all )?(restart|session|crash|application)",
        "enable.idempotence=true tells copies apart even after a restart.",
        "Idempotence lasts one producer session; after a restart a new session begins.",
        "idempotence lasts one producer session", "KafkaProducer javadoc",
    ),
    Superseded(
        r"(random|fresh|generated|uuid)\w* transactional\.id[^.]{0,30} fences (?!nobody)",
        "A random transactional.id fences the old instance.",
        "A random transactional.id fences nobody.",
        "only a stable transactional.id fences", "KIP-98; RECIPES",
    ),
    Superseded(
        r"(set|use|choose|needs?|with) (processing\.guarantee=)?exactly_once(_beta)?\b(?!_v2)",
        "Set processing.guarantee=exactly_once.", "Use exactly_once_v2; it is there since 3.0.",
        "exactly_once and exactly_once_beta are gone since 4.0", "KIP-732; upgrade.md 4.0",
    ),
    Superseded(
        r"(set|lower|raise|use) offsets\.commit\.required\.acks|offsets\.commit\.required\.acks="
        r"|by offsets\.commit\.required\.acks",
        "Commits wait as told by offsets.commit.required.acks.",
        "Commits are acks=all always.",
        "gone since 4.0: commits wait for every replica in sync", "KIP-1041",
    ),
    Superseded(
        r"(future timestamps?|timestamps? in the future)[^.]{0,30}(is|are) (always )?"
        r"(accepted|taken|allowed)",
        "Timestamps in the future are accepted.",
        "Timestamps in the future are refused beyond message.timestamp.after.max.ms.",
        "refused beyond one hour since 4.0", "KIP-937, KIP-1030",
    ),
    Superseded(
        r"spark's kafka sink (is|gives|can be) (idempotent|transactional|exactly[- ]once)"
        r"|spark commits (its |the )?offsets to kafka",
        "Spark commits its offsets to Kafka.", "Spark never commits offsets to Kafka.",
        "the sink is at-least-once, the checkpoint the record of progress",
        "structured-streaming-kafka-integration.md",
    ),
)  # fmt: skip
