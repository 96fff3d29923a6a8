"""Runs one arm: boot, produce, fault, heal, read to the end, judge.

Everything that was started has ended when `run` returns, whatever happened. An arm that could
not be run or judged has a result too: `unknown`, with the reason and without counts.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from advisor.catalog import kafka_line
from labs.engine.base import failure_text
from labs.engine.base.slots import slot
from labs.engine.base.wait import Disturbed, check, limited, reporting_waits, undisturbed
from labs.engine.clients.process import ClientProcess
from labs.engine.cluster.cluster import Cluster
from labs.engine.distributions.distribution import kafka_versions, nearest
from labs.engine.distributions.java import find_java
from labs.engine.faults.admin import disable_retention
from labs.engine.faults.record import FaultLog, FaultRow
from labs.engine.judge.spark import JudgeFailed, judge
from labs.engine.plan.spec import ArmSpec, ExperimentSpec
from labs.engine.plan.topic import may_expire, topic_config, without_deletion
from labs.engine.programs.java import JavaProgram, java_clients, kafka_streams
from labs.engine.record.ledger import SEAL, TableWriter, seal
from labs.engine.record.telemetry import Sampler
from labs.engine.run import result
from labs.engine.run.boot import Booted, PrebootedCluster, boot
from labs.engine.run.events import Emitter
from labs.engine.run.shape import shape, topology_of
from labs.engine.run.stage import LiveStage
from labs.engine.run.watch import Watch
from labs.engine.scenarios.model import TOPIC, Scenario, Schedule, Topology
from labs.engine.workloads import ArmContext, ProduceConsume, workload
from labs.engine.workloads.group import GROUP

_ALL_WAITS_S = 300.0
"""The limit for all waits of an arm together, from the creation of its topic to its final reading.
A single wait may take 60 s."""

_WITH_ZOOKEEPER = (
    "the brokers are not in KRaft mode, but have ZooKeeper, with one server: a dead broker is "
    "noticed when its session ends"
)


@dataclass(frozen=True, slots=True)
class Arm:
    """The inputs of one arm."""

    experiment: ExperimentSpec
    spec: ArmSpec
    scenario: Scenario
    schedule: Schedule
    folder: Path
    events: Emitter
    judge_socket: Path | None = None
    ahead: PrebootedCluster | None = None

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def scratch(self) -> Path:
        """A folder that is removed when the arm has ended."""
        return self.folder / "cluster"


@dataclass(slots=True)
class _Circumstances:
    """Facts collected during the run, for the result and the ledger's table `meta`."""

    java: str | None = None
    kafka: str = ""
    clients: dict[str, str] = field(default_factory=dict)
    shortened: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unproved: list[str] = field(default_factory=list)
    final_read_completed: bool = False
    expires: bool = False


class ArmRunner:
    """Runs one arm, once."""

    def __init__(self, arm: Arm) -> None:
        self.arm = arm
        self._emit = partial(arm.events.emit, arm=arm.spec.name)
        self._faults = FaultLog(on_row=self._show_fault)
        self._facts = _Circumstances(kafka=arm.experiment.release(arm.spec))
        self._began = datetime.now(UTC)
        self._java_clients: JavaProgram | None = None
        self._streams: JavaProgram | None = None
        self._list_clients: Callable[[], list[ClientProcess]] = list
        self.failed = False

    def run(self) -> dict[str, Any]:
        """Runs the arm and returns its result. Errors are not raised; `failed` is then True."""
        try:
            with reporting_waits(self._report_wait):
                answer = self.answer()
        except Disturbed as disturbed:
            failure_text.log_trace()
            answer = self._disturbed(str(disturbed))
        except Exception as error:  # whatever it is, the arm is unknown and the reason is reported
            failure_text.log_trace()
            self.failed = True
            reason = f"The arm could not be run: {failure_text.sentence(error)}"
            self._emit("error", message=reason)
            answer = result.unjudged(reason)
        finally:
            shutil.rmtree(self.arm.scratch, ignore_errors=True)
        outcome = result.arm_result(self.arm.spec, answer, self.arm.ledger, self._context())
        self._phase("done")
        self._emit("arm", result=outcome)
        return outcome

    def _disturbed(self, why: str) -> dict[str, Any]:
        """Records the disturbance; returns the result `unknown`, with the reason."""
        self.failed = True
        self._faults.record("run", "machine", "failed", why)
        self._faults.write(self.arm.ledger)
        if (self.arm.ledger / SEAL).exists():  # the disturbance came after the judge's answer
            seal(self.arm.ledger)
        reason = f"The run was disturbed: {why}."
        self._emit("error", message=reason, killed=True)
        return result.unjudged(reason)

    def _disturbance(self, cluster: Cluster, watch: Watch) -> str:
        """The node, proxy of the links or client that ended or stopped without this run causing it,
        in words; '' if there is none."""
        lost = (client.lost for client in self._list_clients())
        return cluster.lost or next(filter(None, lost), "") or watch.disturbance

    @property
    def _workload(self) -> type[ProduceConsume]:
        spec, name = self.arm.experiment, self.arm.scenario.workload
        return workload(name, self.arm.spec.settings, bool(spec.java_clients), spec.copier)

    def answer(self) -> dict[str, Any]:
        topology = topology_of(self.arm.experiment, self.arm.spec)
        for folder in (self.arm.ledger, self.arm.logs, self.arm.scratch):
            folder.mkdir(parents=True)
        self._fetch_clients()
        with self._booted() as booted, self._watched(booted.cluster) as watch:
            with limited(self.limit_s):
                self.create_topics(booted, topology)
                self._run_until_judging(booted.cluster, topology, watch)
            return self._judge(booted.cluster)

    @property
    def limit_s(self) -> float:
        """The most seconds from the brokers' boot to the judging: the schedule and all waits."""
        clients = self._workload.ready_limit_s + self._workload.flow_limit_s
        return sum(self.arm.schedule.durations.values()) + clients + _ALL_WAITS_S

    @contextmanager
    def _watched(self, cluster: Cluster) -> Iterator[Watch]:
        """Raises `Disturbed` if the cluster or a client stops and this run did not stop it."""
        watch = Watch(cluster, lambda: self._list_clients(), self._faults)
        with undisturbed(partial(self._disturbance, cluster, watch)), watch:
            yield watch

    def _run_until_judging(self, cluster: Cluster, topology: Topology, watch: Watch) -> None:
        """Everything that happens on the cluster before the run is judged."""
        with self._clients(cluster) as clients, watch.with_deadlines():
            self._phase("ready")
            stage = LiveStage(
                cluster, topology, clients, self._faults, self._phase, self.arm.schedule.quiet
            )
            clients.start_producer()
            self._phase("producing")
            try:
                self.arm.scenario.run(stage, self.arm.schedule.durations)
            finally:
                self._faults.write(self.arm.ledger)
                self._facts.unproved += stage.unproved
                self._facts.notes += stage.notes
            clients.stop_producer()
            self._phase("reading")
            clients.stop_consumer()
            self.end_retention(stage)
            self._facts.final_read_completed = clients.read_to_the_end()
        self._faults.write(self.arm.ledger)  # including what the watch has recorded since
        self._facts.notes += [*clients.notes, *clients.differences]
        self._write_meta()

    def end_retention(self, stage: LiveStage) -> None:
        """Ends retention, by time or by size, before the log is read for the ledger.

        The log is read twice. Messages that expired in between would be before the log start
        offset, but not before the one that was recorded, and would count as lost.
        """
        if self._facts.expires:
            stage.heal(disable_retention, TOPIC)
            self._phase("reading")

    def create_topics(self, booted: Booted, topology: Topology) -> None:
        """Creates the topics as described."""
        settings, scenario = self.arm.spec.settings, self.arm.scenario
        self._facts.java, self._facts.kafka = booted.java, booted.kafka
        topic_pins = scenario.topic_pins(settings)
        config, notes = topic_config(settings, topology.replication_factor)
        mode = _WITH_ZOOKEEPER if self.arm.experiment.zookeeper else ""
        all_notes = (mode, topology.note, *notes, booted.cluster.addresses.note)
        self._facts.notes += filter(None, all_notes)
        config |= {key: str(pinned.lab) for key, pinned in topic_pins.items()}
        self._facts.expires = may_expire(config)
        topics = {TOPIC: config, **dict.fromkeys(self._workload.topics, without_deletion(config))}
        for name, topic_settings in topics.items():
            copies = 1 if name in topology.grown else topology.replication_factor
            booted.cluster.create_topic(name, topology.partitions, copies, topic_settings)

    def _fetch_clients(self) -> None:
        """Fetches the jars of Java clients, if the arm uses them."""
        experiment = self.arm.experiment
        if client_release := experiment.java_clients:
            self._java_clients = java_clients(client_release, find_java(), self._report_preparation)
        if self._workload.runs_streams:
            line = experiment.streams or kafka_line(experiment.release(self.arm.spec))
            release = nearest(line, kafka_versions())
            if kafka_line(release) != line:
                self._facts.notes.append(f"Kafka Streams {release} stands for {line}")
            self._streams = kafka_streams(release, find_java(), self._report_preparation)

    @contextmanager
    def _booted(self) -> Iterator[Booted]:
        """Yields the brokers that were booted ahead for this arm, or boots them now."""
        arm = self.arm
        self._phase("waiting")
        if arm.ahead:
            self._phase("booting")
            with arm.ahead.use(arm.logs, self._note_boot) as booted:
                yield booted
            return
        with slot(on_place=lambda place: self._phase("waiting", place=place)):
            self._phase("booting")
            arm_shape = shape(arm.experiment, arm.spec)
            booted = boot(arm_shape, arm.scratch, arm.logs, self._report_preparation)
            try:
                yield booted
            finally:
                booted.cluster.stop()

    def _shortened(self, cluster: Cluster, clients: ProduceConsume) -> list[dict[str, Any]]:
        scenario, settings = self.arm.scenario, self.arm.spec.settings
        pins = {
            "client": clients.pinned, "producer": scenario.producer_pins,
            "consumer": clients.pinned_readers, "broker": scenario.broker_pins(settings),
            "topic": scenario.topic_pins(settings),
        }  # fmt: skip
        return result.shortened(cluster.shortened, settings, pins)

    @contextmanager
    def _clients(self, cluster: Cluster) -> Iterator[ProduceConsume]:
        """Yields the clients once the consumer is ready; samples are taken until the block ends."""
        arm = self.arm
        place = ArmContext(
            arm.spec.settings, cluster.bootstrap, TOPIC, arm.schedule.rate_per_s, arm.ledger,
            arm.folder, arm.logs, scratch=arm.scratch, pinned=arm.scenario.consumer_pins,
            senders=arm.scenario.producer_pins, value_bytes=arm.experiment.value_bytes or 0,
            java_clients=self._java_clients, streams=self._streams,
        )  # fmt: skip
        clients = self._workload(place)
        self._list_clients = clients.all_clients
        self._facts.shortened = self._shortened(cluster, clients)
        self._facts.clients = clients.played_by
        sampler = Sampler(cluster, TOPIC, GROUP, clients.counters, arm.ledger, self._show_sample)
        try:
            clients.start_consumer()
            sampler.start()
            yield clients
        finally:
            sampler.stop()
            clients.kill()

    def _judge(self, cluster: Cluster) -> dict[str, Any]:
        self._phase("judging")
        try:
            answer = judge(
                self.arm.ledger, self.arm.spec.want, bootstrap=cluster.bootstrap, topic=TOPIC,
                socket=self.arm.judge_socket, report=self._report_judging,
            )  # fmt: skip
            seal(self.arm.ledger)  # the judge wrote its last table, `log`
            return answer
        except JudgeFailed as error:
            check()
            self.failed = True
            reason = f"The judge failed: {failure_text.report(error)}"
            self._emit("error", message=reason)
            return result.unjudged(reason)

    def _write_meta(self) -> None:
        arm, facts = self.arm, self._facts
        TableWriter(arm.ledger, "meta", "runner").flush_rows([{
            "final_read_completed": facts.final_read_completed,
            "given_up_breaks": arm.scenario.given_up_breaks,
            "effects_decide": arm.scenario.workload != "produce-consume",
            "seal_follows": True,
            "seed": arm.experiment.seed,
            "scenario": arm.scenario.name,
            "arm": arm.spec.name,
            "settings": json.dumps(arm.spec.settings),
            "versions": json.dumps(result.versions(facts.kafka, facts.java)),
            "machine": json.dumps(result.machine()),
            "shortened": json.dumps(facts.shortened),
            "wall_start": self._began.isoformat(),
        }])  # fmt: skip

    def _context(self) -> dict[str, Any]:
        facts, at_s = self._facts, self.arm.events.at_s
        rows = [result.fault_data(row, at_s(row.time_ns)) for row in self._faults.rows]
        return {
            "fault_evidence": [row for row in rows if row["phase"] != "invoke"],
            "versions": result.versions(facts.kafka, facts.java),
            "machine": result.machine(),
            "clients": facts.clients,
            "shortened": facts.shortened,
            "notes": facts.notes + facts.unproved,
            "axis_began_ns": self.arm.events.began_ns,
        }

    def _phase(self, phase: str, **fields: Any) -> None:
        self._emit("phase", phase=phase, **fields)

    def _report_wait(self, awaits: str, left_s: float) -> None:
        self._emit("wait", awaits=awaits, left_s=math.ceil(left_s))

    def _report_preparation(self, detail: str) -> None:
        self._phase("booting", detail=detail)

    def _report_judging(self, detail: str) -> None:
        self._phase("judging", detail=detail)

    def _note_boot(self, note: str) -> None:
        self._phase("booting", detail=note)
        self._facts.notes.append(note)

    def _show_sample(self, sample: dict[str, Any]) -> None:
        self._emit("sample", **sample)

    def _show_fault(self, row: FaultRow) -> None:
        at_s = self.arm.events.at_s(row.time_ns)
        self._emit("fault", **result.fault_data(row, at_s))
