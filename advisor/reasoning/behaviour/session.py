"""How one producer session reacts to errors: retries, duplicates, reordering, giving up."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.catalog.effective import LONGEST_RECONNECT, RECONNECT
from advisor.catalog.versions import at_least, effective_client
from advisor.reasoning.behaviour.replication import ELECTION_MARGIN_MS
from advisor.reasoning.behaviour.sizes import refusal_of_batches
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.behaviour.timestamps import max_age
from advisor.reasoning.event import Permits
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline, derived_property

INT_MAX = 2**31 - 1
MIN_RESPONSE_MS = 10
"""The least time of a response that involves followers and disks (Kafka design.md)."""

ABORT_CHECK = "transaction.abort.timed.out.transaction.cleanup.interval.ms"
"""The interval of a coordinator's checks for expired transactions
(TransactionStateManagerConfig)."""

_MIN_JITTER = 0.8
"""The least factor by which the jitter of 20 % changes a growing pause (KIP-580)."""


@dataclass(frozen=True, slots=True)
class Session:
    """The producer's settings in force, and how the application handles its errors."""

    pipeline: Pipeline

    @property
    def acks(self) -> str:
        return self.pipeline.text(Component.PRODUCER, "acks")

    @property
    def idempotent(self) -> bool:
        return self.pipeline.flag(Component.PRODUCER, "enable.idempotence")

    @property
    def retries(self) -> int:
        return self.pipeline.number(Component.PRODUCER, "retries")

    @property
    def in_flight(self) -> int:
        """The number of unanswered requests to one broker at a time."""
        return self.pipeline.number(Component.PRODUCER, "max.in.flight.requests.per.connection")

    @property
    def request_timeout_ms(self) -> int:
        return self.pipeline.number(Component.PRODUCER, "request.timeout.ms")

    @derived_property
    def delivery_timeout_ms(self) -> int | None:
        """How long the client tries to deliver a record; None means for ever."""
        timeout_ms = self.pipeline.number(Component.PRODUCER, "delivery.timeout.ms")
        # librdkafka reads 0 as "never" (CONFIGURATION.md, message.timeout.ms).
        librdkafka = self.pipeline.family is Family.LIBRDKAFKA
        return None if librdkafka and timeout_ms == 0 else timeout_ms

    @property
    def producer_id_expiration(self) -> tuple[str, int]:
        """The setting of how long brokers keep the sequence numbers of a producer that sends
        nothing, and its value in ms. Before 3.4 it is that of transactions (KIP-854)."""
        newer = "producer.id.expiration.ms"
        since_3_4 = self.pipeline.knows(Component.BROKER, newer)
        name = newer if since_3_4 else "transactional.id.expiration.ms"
        return name, self.pipeline.number(Component.BROKER, name)

    @property
    def errors_handled(self) -> bool:
        """Whether the application handles the error of a record that was not delivered."""
        if self.pipeline.family is Family.STREAMS:
            return not Streams(self.pipeline).result_dropping_handler
        return self.pipeline.text(Component.APPLICATION, "delivery.errors") == "handled"

    @derived_property
    def application_resends(self) -> bool:
        """Whether the application sends failed records again."""
        if self._by_engine:
            return False
        resends = self.pipeline.text(Component.APPLICATION, "resend") == "on-error"
        return resends and self.errors_handled

    @derived_property
    def engine_resends(self) -> bool:
        """Whether the engine sends failed records again: a failed write fails the Spark task, which
        runs again (KafkaWriteTask.scala), or the Streams thread, whose input is processed again
        (KIP-210)."""
        return self._by_engine and self.errors_handled

    @property
    def restart(self) -> str:
        """`resumes`, `forgets` or, if not stated, an empty string.

        An application that sends again after an error also does so after a restart, unless stated
        otherwise.
        """
        if self._by_engine:
            return "resumes"
        text = self.pipeline.text(Component.APPLICATION, "restart")
        return text or ("resumes" if self.application_resends else "")

    @derived_property
    def retries_last_ms(self) -> int:
        """The shortest time in which all retries may be used up, each right after its pause.

        Pauses double up to a longest one, less up to 20 % (KIP-580). In clients without
        retry.backoff.max.ms all pauses are equal.
        """
        first, longest = self._pauses
        if longest is None:
            return self.retries * first
        pause, remaining, total = first, self.retries, 0
        while remaining and pause < longest:
            pause, remaining, total = pause * 2, remaining - 1, total + pause
        return int((total + remaining * longest) * _MIN_JITTER)

    @derived_property
    def retries_too_late(self) -> bool:
        """Whether the first pause alone lasts as long as the delivery timeout."""
        timeout_ms = self.delivery_timeout_ms
        return timeout_ms is not None and self._pauses[0] >= timeout_ms

    @property
    def _pauses(self) -> tuple[int, int | None]:
        """The first and the longest pause in ms, at least 1 for the request itself."""
        first = max(1, self.pipeline.number(Component.PRODUCER, "retry.backoff.ms"))
        name = "retry.backoff.max.ms"
        if not self.pipeline.knows(Component.PRODUCER, name):
            return first, None
        longest = max(1, self.pipeline.number(Component.PRODUCER, name))
        return min(first, longest), longest

    @property
    def _backoff(self) -> str:
        first, longest = self._pauses
        if longest is None:
            return f"retry.backoff.ms={first} each"
        return f"retry.backoff.ms={first}, doubled up to retry.backoff.max.ms={longest}, less 20 %"

    @property
    def _by_engine(self) -> bool:
        return self.pipeline.family in (Family.SPARK, Family.STREAMS)

    @derived_property
    def receives_errors(self) -> bool:
        """Whether the client receives the broker's errors. With acks=0 the broker sends no
        response, so none of its errors is reported or retried."""
        return self.acks != "0"

    def refused(self, reason: str, *, by_broker: bool = True) -> Permits:
        """Returns the anomalies of a record that is refused, however often it is sent.

        With acks=0 a broker's refusal is not reported; a refusal by the client always is.
        """
        if self.application_resends or self.engine_resends:
            return {
                Anomaly.UNAVAILABLE: (f"{reason} It is sent again and again, and never accepted.")
            }
        unreported = by_broker and not self.receives_errors
        return {Anomaly.LOST_WRITE if unreported else Anomaly.GIVEN_UP: reason}

    @derived_property
    def retries_blindly(self) -> bool:
        """Whether a retry may write a record again, because brokers do not recognize it."""
        return self.receives_errors and self.retries > 0 and not self.idempotent

    @property
    def retries_uncounted(self) -> bool:
        """Whether the client retries when a leader steps down, whatever `retries` is.

        librdkafka takes NOT_LEADER_OR_FOLLOWER to mean that the batch was not written, and does not
        count the retry (rdkafka_request.c, rd_kafka_handle_Produce_error, 2.16). With acks=all a
        leader also returns that error for batches that it wrote and that wait for its followers
        (DelayedProduce.scala). Seen in runs: 5 to 27 copies with retries=0.
        """
        librdkafka = self.pipeline.family is Family.LIBRDKAFKA
        return librdkafka and self.acks == "all" and not self.idempotent

    def repeats(self, *, leader_moves: bool = False) -> Permits:
        """Returns the anomalies of a retry (KIP-98; librdkafka INTRODUCTION, "Reordering").

        `leader_moves` is true if leadership may move away from a leader that is alive.
        """
        off = "enable.idempotence=false"
        if self.retries_blindly:
            reason = (
                f"{off} with retries={self.retries}: when only the acknowledgement is lost or "
                "late, the client sends the batch again and the broker writes it twice."
            )
        elif leader_moves and self.retries_uncounted:
            reason = (
                f"{off} with acks=all: a leader that steps down refuses batches that it has "
                f"written, and librdkafka sends them again, also with retries={self.retries}."
            )
        else:
            return {}
        permits = {Anomaly.DUPLICATE: reason}
        if self.in_flight > 1:
            permits[Anomaly.REORDERED] = (
                f"{off} with max.in.flight.requests.per.connection={self.in_flight}: a batch that "
                "is sent again lands after a later one that was already written."
            )
        return permits

    def gives_up(self, pause_ms: int, pause: str) -> Permits:
        """Returns the anomalies if the client gives up before a pause of `pause_ms` is over.

        There are none if the application or engine sends again. With acks=0 only records that were
        not sent yet are given up: the client itself reports those that waited for too long.
        """
        if self.application_resends or self.engine_resends or self.aborts_with_input:
            return {}
        reason = self.reason_to_give_up(pause_ms)
        if reason is None:
            return {}
        return self.given_up(f"{reason} {pause} lasts up to {pause_ms:,} ms.")

    def given_up(self, reason: str) -> Permits:
        """Returns the anomalies of a record that the client gave up, and of those sent with it."""
        permitted = {Anomaly.GIVEN_UP: reason}
        if self.takes_new_producer_id:
            permitted[Anomaly.DUPLICATE] = (
                f"{reason} Then librdkafka takes a new producer id, and what it sends again with "
                "that is written twice: enable.idempotence recognises copies of one id only."
            )
        return permitted

    @property
    def takes_new_producer_id(self) -> bool:
        """Whether the client takes a new producer id after it gave up a record.

        librdkafka then numbers all unacknowledged records anew (rdkafka_broker.c,
        rd_kafka_toppar_producer_serve; rdkafka_partition.c, rd_kafka_toppar_pid_change; without a
        transactional.id brokers assign another id each time:
        TransactionCoordinator.handleInitProducerId). Seen in a run with 2.16: 19 records of one
        batch were in the log twice. Java keeps its id, and raises the epoch when no batch is in
        flight (TransactionManager, maybeResolveSequences).
        """
        librdkafka = self.pipeline.family is Family.LIBRDKAFKA
        return librdkafka and self.idempotent and not self.transactional

    @derived_property
    def aborts_with_input(self) -> bool:
        """Whether the input of a record that is given up is processed again: its transaction also
        contains the input's offsets and cannot be committed (KafkaProducer.commitTransaction), and
        an abort rewinds (KIP-98).

        Since 3.2 Java's commit reports records that were refused before they were queued
        (KAFKA-9279). librdkafka's commit does not, so the code has to check each send.
        """
        if self._by_engine or not (self.transactional and self._detects_errors):
            return False
        commit, abort = (
            self.pipeline.text(Component.APPLICATION, name) for name in ("commit", "abort")
        )
        return commit == "in-transaction" and abort == "rewinds"

    @property
    def _detects_errors(self) -> bool:
        """Whether the code receives each error, by checking each send or from the commit."""
        by_commit = self.pipeline.family is Family.JAVA and at_least(self.pipeline.version, "3.2")
        return by_commit or self.errors_handled

    def arrives_late(self) -> Permits:
        """Returns the anomalies of a record that the client has given up while it is still on its
        way in a broken connection.

        Closing a connection does not recall what was sent (RFC 9293, 3.6; SocketServer forwards
        what it has received). Without idempotence, or with an earlier producer id, no broker
        refuses the record then (KIP-98). A record that is sent again arrives before any later one
        if 1 request is in flight (Sender, guaranteeMessageOrder); only its second copy is late.
        """
        if self.idempotent and not self.takes_new_producer_id:
            return {}
        why = f"enable.idempotence={'true with a new producer id' if self.idempotent else 'false'}"
        return {
            Anomaly.REORDERED: (
                f"{why}: a record that is not sent again may still be on its way in the connection "
                "that broke, and arrive after later ones."
            )
        }

    def gives_up_before_second_try(self) -> Permits:
        """Returns the anomalies if a record is given up when its first response never arrives.

        The client notices a dead connection after its request timeout (librdkafka:
        socket.timeout.ms), and only then sends the record again. In a transaction the commit fails,
        and librdkafka's defaults leave it 100 ms: nothing is given up unnoticed.
        """
        if self.application_resends or self.engine_resends or self.transactional:
            return {}
        delivery_ms = self.delivery_timeout_ms
        if delivery_ms is None or delivery_ms >= self.second_try_ms:
            return {}
        noticed = f"{self._response_timeout_setting}={self.response_timeout_ms}"
        if self.reconnects_late:
            noticed += f", the client connects again after {self._reconnect}"
        return self.given_up(
            f"delivery.timeout.ms={delivery_ms} leaves no time for a second try. "
            f"The client notices after {noticed} that the first one gets no response, and the "
            f"second one arrives {self.second_try_ms:,} ms after send() at the earliest."
        )

    @property
    def second_try_ms(self) -> int:
        """The least time from send() until a record whose first response is lost is
        acknowledged."""
        return self.linger_ms + self.unanswered_ms

    @property
    def unanswered_ms(self) -> int:
        """How long a request without a response delays those after it: until the client has given
        it up, and received the response to the next one."""
        return self.response_timeout_ms + max(self._pauses[0], self.reconnect_ms) + MIN_RESPONSE_MS

    @property
    def reconnects_late(self) -> bool:
        """Whether a record waits longer for a new connection than for a retry."""
        return self.reconnect_ms > self._pauses[0]

    @property
    def reconnect_ms(self) -> int:
        """The longest first pause before the client connects to a broker again.

        A request that times out ends its connection (NetworkClient.java;
        librdkafka's rd_kafka_broker_update_reconnect_backoff). Before 3.7 Java did not limit the
        first pause to the longest one (ExponentialBackoff.java, of 3.6.2 and 3.7.2).
        """
        first, longest = (
            self.pipeline.number(Component.PRODUCER, name)
            for name in (RECONNECT, LONGEST_RECONNECT)
        )
        librdkafka = self.pipeline.family is Family.LIBRDKAFKA
        client = effective_client(self.pipeline.family, self.pipeline.version)
        if not librdkafka and first > longest and not at_least(client, "3.7"):
            return first
        return min(first + first // (2 if librdkafka else 5), longest)

    @property
    def _reconnect(self) -> str:
        first, longest = (
            f"{name}={self.pipeline.number(Component.PRODUCER, name)}"
            for name in (RECONNECT, LONGEST_RECONNECT)
        )
        return f"{first} ({longest})"

    @property
    def linger_ms(self) -> int:
        """How long a batch waits for more records; Java limits it to an int
        (KafkaProducer.lingerMs)."""
        return min(self.pipeline.number(Component.PRODUCER, "linger.ms"), INT_MAX)

    @property
    def first_try_ms(self) -> int:
        """How long a record may wait before it is first sent. The margin that is added to each
        pause (`ELECTION_MARGIN_MS`) covers a short linger, which counts as 0."""
        return self.linger_ms if self.linger_ms > ELECTION_MARGIN_MS else 0

    @property
    def response_timeout_ms(self) -> int:
        """How long the client waits for a response before it considers it lost."""
        return self.pipeline.number(Component.PRODUCER, self._response_timeout_setting)

    @property
    def _response_timeout_setting(self) -> str:
        librdkafka = self.pipeline.family is Family.LIBRDKAFKA
        return "socket.timeout.ms" if librdkafka else "request.timeout.ms"

    @property
    def transactional(self) -> bool:
        """Whether records are sent in transactions. If one send fails, its transaction is aborted,
        and all of it is sent again in another (TransactionManager.maybeFailWithError; KIP-98)."""
        return bool(self.pipeline.text(Component.PRODUCER, "transactional.id"))

    def reason_to_give_up(self, pause_ms: int) -> str | None:
        """Returns why the client gives up before a pause is over, or None if it does not."""
        if self.retries == 0:
            return "retries=0: the first error is final, and nobody sends the record again."
        if self.retries_too_late:
            return f"{self._backoff}: the first retry would come after delivery.timeout.ms."
        if self.retries_last_ms < pause_ms:
            return (
                f"retries={self.retries} may be used up in {self.retries_last_ms:,} ms "
                f"({self._backoff})."
            )
        timeout_ms = self.delivery_timeout_ms
        if timeout_ms is not None and timeout_ms < pause_ms:
            return f"delivery.timeout.ms={timeout_ms}: the client stops trying after that."
        if timeout_ms is not None and timeout_ms < self.first_try_ms + pause_ms:
            return (
                f"delivery.timeout.ms={timeout_ms} counts from send(), and "
                f"linger.ms={self.linger_ms} passes before the first try of a record: the "
                "remaining time is too short."
            )
        limit = max_age(self.pipeline)
        if limit is not None and limit.ms < pause_ms:
            return f"{limit}: a record that is sent again after a longer pause is refused for good."
        # Records accumulate while they cannot be sent: after a pause the batches are full.
        return refusal_of_batches(self.pipeline)
