"""How applications are started, as compose files, Kubernetes manifests and env files state it.

Expected from Spring Boot's reference ("Externalized Configuration", "Profiles"), Quarkus'
Configuration Reference Guide and Micronaut's guide ("The Environment"): variables and arguments
state in which profiles an application runs, and which files it reads in addition to its own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, TOPIC, assert_answer, write_files
from tests.advisor.configurations.manifests import DEPLOYMENT

READS = f"{TOPIC} application.processing.errors=retry application.restart=resumes"
FILE = """spring:
  kafka:
    consumer: {auto-offset-reset: earliest, group-id: g}
    producer: {acks: all}
"""
PROFILES = f"{FILE}---\nspring.config.activate.on-profile: prod\nspring.kafka.producer.acks: 1\n"
SERVICE = "services:\n  orders:\n    image: acme/orders\n    environment:\n"
CLIENT = """      SPRING_KAFKA_BOOTSTRAP_SERVERS: k:9092
      SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET: earliest
"""
PROD = "      SPRING_PROFILES_ACTIVE: prod\n"
FIX = "acks: 1 -> all"
NO_FILE = "an application is started in profile prod, and no file of it is here"
ELSEWHERE = "what is there may take precedence over this file, and is not read"
POD = (
    "---\n"
    + DEPLOYMENT
    + """\
        env:
        - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: 'k:9092'}
        - {name: SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET, value: earliest}
"""
)
ACTIVE = "        - {name: SPRING_PROFILES_ACTIVE, value: prod}\n"
MAP = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata:\n"
IN_MAP = MAP % "c" + "  application.yml: |\n"
IN_MAP += "".join(f"    {line}\n" for line in PROFILES.splitlines())
CHANNEL = "mp.messaging.incoming.o.connector=smallrye-kafka\n"
CHANNEL += "mp.messaging.incoming.o.auto.offset.reset=earliest\n"
STAGED = f"{CHANNEL}%staging.mp.messaging.incoming.o.failure-strategy=ignore\n"
MICRONAUT = "kafka:\n  consumers:\n    default:\n      auto.offset.reset: "


def pod(*rows: str) -> str:
    return POD + "".join(f"        - {row}\n" for row in rows)


TWO_PROFILES = f"spring.profiles.active: prod,metrics\n---\n{FILE}"
PROD_FILE = "spring.kafka.producer.acks: 1\n"
METRICS_FILE = "spring.kafka.producer.acks: all\n"


@pytest.mark.parametrize(("files", "options", "code", "expected"), [
    # the last of several active profiles overrides the others
    ({"application.yml": TWO_PROFILES, "application-prod.yml": PROD_FILE,
      "application-metrics.yml": METRICS_FILE}, "", 0, "YES"),
    ({"application.yml": TWO_PROFILES.replace("prod,metrics", "metrics,prod"),
      "application-prod.yml": PROD_FILE, "application-metrics.yml": METRICS_FILE}, "", 1, FIX),
    # the profile that the application is started in counts
    ({"application.yml": PROFILES, "c.yml": SERVICE + PROD}, "", 1,
     f"{FIX}.*c.yml:5: an application is started in profile prod, so that what counts there"),
    ({"application.yml": FILE, "application-prod.yml": "spring.kafka.producer.acks: 1\n",
      "c.yml": f"{SERVICE}      - SPRING_PROFILES_ACTIVE=prod\n"}, "", 1, FIX),
    ({"application.yml": PROFILES, ".env": "SPRING_PROFILES_ACTIVE=prod\n"}, "", 1, FIX),
    ({"application.yml": PROFILES, "c.yml": SERVICE + "      SPRING_PROFILES_ACTIVE: ${S:-prod}\n"},
     "", 1, FIX),
    ({"application.yml": PROFILES, "c.yml":
      f"{SERVICE}{CLIENT}    command: [java, -jar, a.jar, --spring.profiles.active=prod]\n"}, "", 1,
     FIX),
    ({"application.yml": PROFILES, "k.yml": pod("{name: SPRING_PROFILES_ACTIVE, value: prod}")}, "",
     1, FIX),
    ({"k.yml": IN_MAP + POD + ACTIVE}, "", 1, FIX),
    ({"k.yml": f"{IN_MAP}{MAP % 'e'}  SPRING_PROFILES_ACTIVE: prod\n{POD}"}, "", 1, FIX),
    ({"application.yml": PROFILES, "c.yml": SERVICE + PROD}, "--only default", 0, "YES"),
    ({"application.yml": PROFILES, "c.yml": SERVICE + PROD.replace("prod", "eu")}, "", 0,
     "profile eu is on, and nothing of it is here"),
    ({"application.yml": PROFILES, "c.yml":
      f"{SERVICE}{PROD}  b:\n    image: b\n    environment: {{SPRING_PROFILES_ACTIVE: dev}}\n"}, "",
     2, "--only default, --only prod"),
    ({"application.properties": STAGED, "c.yml": f"{SERVICE}      QUARKUS_PROFILE: staging\n"}, "",
     1, "processing.errors: skip -> retry"),
    ({"application.properties": STAGED, "c.yml": f"{SERVICE}      QUARKUS_PROFILE: prod\n"}, "", 0,
     "YES"),
    ({"application.yml": f"{MICRONAUT}earliest\n", "application-prod.yml": f"{MICRONAUT}latest\n",
      "c.yml": f"{SERVICE}      MICRONAUT_ENVIRONMENTS: prod\n"}, "", 1,
     "auto.offset.reset: latest -> earliest"),
    # missing files and values are reported
    ({"c.yml": SERVICE + CLIENT + PROD}, "", 0, f"YES.*c.yml:7: {NO_FILE}"),
    ({"k.yml": POD + ACTIVE}, "", 0, f"YES.*k.yml:14: {NO_FILE}"),
    ({"c.yml": f"{SERVICE}{CLIENT}      SPRING_APPLICATION_JSON: "
      "'{\"spring\":{\"profiles\":{\"active\":\"prod\"}}}'\n"}, "", 0, f"YES.*{NO_FILE}"),
    ({"c.yml": f"{SERVICE}{CLIENT}      JAVA_OPTS: -Xmx1g -Dspring.profiles.active=prod\n"}, "", 0,
     f"YES.*{NO_FILE}"),
    ({"c.yml": f"{SERVICE}{CLIENT}      SPRING_CONFIG_IMPORT: configserver:http://c\n"}, "", 0,
     f"YES.*spring.config.import: {ELSEWHERE}"),
    ({"k.yml": pod("{name: SPRING_CONFIG_ADDITIONAL_LOCATION, value: 'file:/config/'}")}, "", 0,
     f"YES.*k.yml:14: spring.config.additional.location: {ELSEWHERE}"),
    ({"c.yml": f"{SERVICE}{CLIENT}    command: --spring.config.location=/etc/a.yml\n"}, "", 0,
     f"YES.*spring.config.location: {ELSEWHERE}"),
    ({"application.yml": FILE, "c.yml": f"{SERVICE}      - SPRING_PROFILES_ACTIVE\n"}, "", 0,
     "YES.*c.yml:5: the profile of spring.profiles.active is filled in"),
    ({"c.yml": SERVICE.replace("    env", "    env_file: a.env\n    env") + CLIENT}, "", 0,
     "YES.*c.yml:4: env_file \\S+ may contain settings and is not read"),
    ({"c.yml": f"{SERVICE}{CLIENT}    volumes: ['./application.yml:/app/application.yml']\n"}, "",
     0, "YES.*a mounted file \\S+ may contain settings"),
    ({"k.yml": f"{POD}        envFrom: [{{configMapRef: {{name: e}}}}]\n"}, "", 0,
     "YES.*variables come from a configMapRef that is not here"),
    ({"k.yml": f"{POD}      volumes: [{{name: v, configMap: {{name: e}}}}]\n"}, "", 0,
     "YES.*a volume mounts a ConfigMap that is not here"),
    *[({"c.yml": f"{SERVICE}{CLIENT}{row}"}, "", 0,
       "YES.*c.yml:7: JAVA_OPTS: its value is not in this file, may contain settings")
      for row in ("      JAVA_OPTS:\n", "      JAVA_OPTS: -Xmx1g ${MORE}\n")],
    ({"c.yml": f"{SERVICE}{CLIENT}      JAVA_OPTS: -Xmx1g\n"}, "", 0, "YES(?!.*JAVA_OPTS)"),
    # other resources with a pod template, and resources that change others
    ({"k.yml": pod("{name: SPRING_KAFKA_PRODUCER_ACKS, value: '1'}")
      .replace("apps/v1", "argoproj.io/v1alpha1").replace("Deployment", "Rollout")}, "", 1, FIX),
    *[({"k.yml": text}, "", 2, "Give what `kubectl kustomize` prints") for text in (
        "kind: Kustomization\nresources: [a.yml]\npatches:\n- path: b.yml\n",
        "- op: replace\n  path: /spec/template/spec/containers/0/env/0/value\n  value: '1'\n")],
    # Quarkus: variables override files
    ({"application.properties": CHANNEL, "c.yml":
      f"{SERVICE}      MP_MESSAGING_CONNECTOR_SMALLRYE_KAFKA_FAILURE_STRATEGY: ignore\n"}, "", 2,
     "takes precedence over the application's own files, and is not read"),
    ({"application.properties": CHANNEL, ".env": "_PROD_MP_MESSAGING_INCOMING_O_FAILURE_STRATEGY="
      "ignore\n"}, "", 1, "processing.errors: skip -> retry"),
    # an env file in the syntax of compose
    *[({".env": "SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET=earliest\n"
        f"SPRING_KAFKA_PRODUCER_ACKS{separator}1\n"}, "", 1, FIX) for separator in (" = ", ": ")],
    ({"application.properties": CHANNEL, "k.yml":
      f"{MAP % 'e'}  MP_MESSAGING_INCOMING_O_COMMIT_STRATEGY: ignore\n"}, "", 2,
     "k.yml:6: commit-strategy=ignore without enable.auto.commit=true"),
    ({"application.properties": CHANNEL, "k.yml":
      f"{MAP % 'e'}  MP_MESSAGING_INCOMING_O_TOPIC: a\n"}, "", 0, "YES"),
    # variables of the application itself
    ({"application.yml": FILE, ".env": "DB_URL=x\n"}, "", 0, "YES"),
    ({"application.yml": FILE.replace("earliest", "'${START:earliest}'"), "orders.env":
      "START=latest\n"}, "", 1, "auto.offset.reset: latest -> earliest"),
    ({".env": "DB_URL=x\n"}, "", 2, "Nothing here looks like a file"),
    ({".env": "SPRING_PROFILES_ACTIVE=prod\n"}, "", 2, "there is no variable KAFKA_… or SPRING"),
    ({"c.yml": SERVICE + PROD}, "", 2, "no setting of Kafka"),
    ({"k.yml": f"{MAP % 'e'}  ORDERS_ACKS: '1'\n"}, "", 2, "is acks of a producer"),
])  # fmt: skip
def test_the_startup_of_an_application_gets_the_expected_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], options: str, code: int,
    expected: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, files)
    settings = TOPIC if "application.properties" in files else READS
    assert_answer(f"{' '.join(files)} {options}", settings, code, expected)


def test_a_quarkus_value_that_is_a_placeholder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "application.properties"
    path.write_text(
        "mp.messaging.outgoing.o.connector=smallrye-kafka\nmp.messaging.outgoing.o.acks=all\n"
        "mp.messaging.outgoing.o.waitForWriteCompletion=${WAIT}\n"
    )
    assert_answer(str(path), COPIES, 2, "waitForWriteCompletion is filled in")
