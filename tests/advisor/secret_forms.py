"""The forms in which a secret may occur in a file. The letter `S` is a placeholder for it.

`tests.advisor.test_secret_forms` replaces it by a word that consists of letters only. Words with
digits and long words are never taken for a name, so they would be easier to detect.
"""

from __future__ import annotations

import json

_JAAS = "org.apache.kafka.common.security.scram.ScramLoginModule required"

JAAS = {
    "in a YAML block": "spring:\n  kafka:\n    properties:\n      sasl.jaas.config: |\n"
    f'        {_JAAS}\n          username="S"\n          password="S";\n'
    "    producer: {acks: all}\n",
    "folded, a level a word": "spring:\n  kafka:\n    producer:\n      acks: all\n"
    "      properties:\n        sasl:\n          jaas:\n            config: >-\n"
    f"              {_JAAS}\n              username=S password=S;\n",
    "continued": f'acks=all\nsasl.jaas.config={_JAAS} \\\n  username="S" \\\n  password="S";\n',
    "not continued": f'acks=all\nsasl.jaas.config={_JAAS}\n  username="S"\n  password="S"\n  S\n',
    "in a bracket": "spring.kafka.properties[sasl.jaas.config]=S\n"
    "spring.kafka.producer.properties[basic.auth.user.info]=S:S\nspring.kafka.producer.acks=all\n",
    "in a bracket of YAML": "spring:\n  kafka:\n    properties:\n      '[sasl.jaas.config]': S\n"
    "      '[ssl.key.password]': S\n    producer: {acks: all}\n",
    "options of Spring": "spring: {kafka: {jaas: {options: {username: S, password: S}}, "
    "ssl: {key-password: S, key-store-key: S, trust-store-location: 'file:/S'}, "
    "producer: {acks: all}}, datasource: {url: 'jdbc:postgresql://S:S@h/d', password: S}}\n",
    "of a listener": "node.id=1\nlistener.name.x.scram-sha-512.sasl.jaas.config=S\n"
    "listener.name.x.ssl.keystore.password=S\nzookeeper.connect=S:S@zk:2181\n",
    "by kafka-configs": "Dynamic configs for topic orders are:\n"
    "  min.insync.replicas=2 sensitive=false synonyms={}\n"
    "  sasl.jaas.config=null sensitive=true synonyms={DYNAMIC:sasl.jaas.config=S}\n"
    "  retention.ms=S sensitive=false synonyms={}\n",
    "of Quarkus": "mp.messaging.outgoing.orders.connector=smallrye-kafka\n"
    "mp.messaging.outgoing.orders.sasl.jaas.config=S\nkafka.password=S\n%prod.kafka.acks=S\n",
    "of Micronaut": "kafka:\n  sasl.jaas.config: S\n  producers:\n    default:\n"
    "      acks: S\n      ssl.key.password: S\n",
    "of Streams": "application.id=S\nproducer.sasl.password=S\nadmin.sasl.jaas.config=S\n"
    "main.consumer.ssl.key.password=S\nprocessing.guarantee=S\n",
}

KEYS = {
    "on one line": "ssl.keystore.key=-----BEGIN PRIVATE KEY----- S -----END\nacks=all\n",
    "encrypted": "acks=all\nx=-----BEGIN ENCRYPTED PRIVATE KEY-----\nS\n",
    "with a hyphen less": "acks=all\n----BEGIN RSA PRIVATE KEY----\nS\n",
    "of SSH2": "acks=all\n---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nS\n",
    "without its head": "acks=all\nS\nS==\nS\n",
    "as a setting": "ssl.key.password=S\nssl.key.pem=S\nssl.keystore.key=S\n"
    "ssl.keystore.certificate.chain=S\nssl.truststore.certificates=S\nacks=all\n",
    "in escapes": "acks=all\nsasl.p\\u0061ssword=S\npassw\\\nord=S\n",
    "behind blanks": "acks all\nsasl.password S\n:S\n=S\nS\n",
    "in a comment": "# password=S\n! S\nacks=all # S\nlinger.ms=5 ; S\n",
    "in the place of others": "acks=S\nlinger.ms=S\nkey.serializer=S\ninterceptor.classes=S\n",
}

TOKENS = {
    "OAuth": "sasl.oauthbearer.client.secret=S\nsasl.oauthbearer.config=S\nacks=all\n"
    "sasl.oauthbearer.token.endpoint.url=https://S@idp\nsasl.oauthbearer.client.id=S\n"
    "sasl.oauthbearer.client.credentials.client.secret=S\nsasl.oauthbearer.extensions=S\n"
    "sasl.oauthbearer.assertion.private.key.file=S\nsasl.oauthbearer.scope=S\n",
    "schema registry": "schema.registry.url=https://S:S@sr:8081\nbasic.auth.user.info=S:S\n"
    "schema.registry.basic.auth.user.info=S:S\nbearer.auth.token=S\nacks=all\n",
    "in an address": "bootstrap.servers=SASL_SSL://S:S@broker:9093\nacks=all\n",
    "of a provider": "acks=${vault:secret/S:S}\nconfig.providers.vault.param.token=S\n",
    "a placeholder's default": "spring.kafka.producer.acks=${ACKS:S}\n"
    "spring.kafka.consumer.enable-auto-commit=${S}\n",
    "a file of variables": "KAFKA_SASL_PASSWORD=S\nKAFKA_URL=kafka://S:S@h:9092\n"
    'export KAFKA_OPTS="-Djavax.net.ssl.keyStorePassword=S"\nKAFKA_MIN_INSYNC_REPLICAS=2\n',
    "Terraform": 'variable "kafka_api_secret" {\n  sensitive = true\n  default = "S"\n}\n'
    'provider "confluent" {\n  cloud_api_secret = "S"\n}\n'
    'resource "confluent_kafka_topic" "orders" {\n  config = {\n'
    '    "min.insync.replicas" = "2"\n    "sasl.password" = "S"\n  }\n'
    '  credentials {\n    key = "S"\n    secret = "S"\n  }\n}\n',
    "Terraform's locals": 'locals {\n  isr = "S"\n}\nvariable "rf" {\n  default = "S"\n}\n'
    'resource "kafka_topic" "S" {\n  name = "S"\n  replication_factor = var.rf\n'
    '  config = { "min.insync.replicas" = local.isr }\n}\n',
    "a Secret, base64": "apiVersion: v1\nkind: Secret\nmetadata: {name: S}\ndata:\n"
    "  producer.properties: S\nstringData:\n  application.properties: |\n"
    "    acks=all\n    sasl.password=S\n",
    "a Deployment": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: S}\n"
    "spec: {template: {spec: {containers: [{name: S, args: ['--password=S', S], env: ["
    "{name: SPRING_KAFKA_PRODUCER_ACKS, value: S}, {name: KAFKA_PASSWORD, value: S}]}]}}}\n",
    "compose": "services:\n  broker:\n    image: S\n    command: [--password, S]\n"
    "    environment:\n      - KAFKA_NODE_ID=1\n      - KAFKA_SASL_JAAS_CONFIG=S\n",
    "Strimzi": "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: S}\n"
    "spec: {kafka: {replicas: 3, config: {min.insync.replicas: S, ssl.cipher: S}, "
    "listeners: [{name: S, authentication: {clientSecret: S}}]}}\n",
    "Python": "conf = {'sasl.password': 'S', 'ssl.ca.pem': 'S', 'oauth_cb': S, 'acks': 'all',\n"
    "  'bootstrap.servers': f'{S}:9092', 'debug': os.environ['S']}\nProducer(conf)\n",
    "JSON": json.dumps({
        "ssl.certificate.pem": "S", "sasl.kerberos.kinit.cmd": "kinit S", "debug": "S",
        "sasl.kerberos.keytab": "S", "acks": "all",
    }),
    "JSON that is cut off": '{"acks": "all", "sasl.password": "S"',
    "Spark": 'a.readStream.format("kafka").option("kafka.sasl.jaas.config", "S")'
    '.option("kafka.ssl.key.password", "S").option("failOnDataLoss", "S").load()\n',
    "logged settings": "ProducerConfig values:\n\tacks = all\n\tsasl.jaas.config = S\n"
    "\tssl.keystore.password = S\n\tclient.id = S\n\tinterceptor.classes = [S]\n",
    "spark-defaults": "spark.hadoop.fs.s3a.secret.key S\nspark.kafka.clusters.x.sasl.token S\n"
    "spark.sql.streaming.checkpointLocation=s3a://S:S@b/x\n",
    "a pipeline's file": 'producer.acks = "all"\nproducer.sasl.password = "S"\n',
    "a pipeline's file that is cut off": 'producer.acks = S\nproducer.linger.ms = "S\n',
}  # fmt: skip

FORMS = {
    f"{kind}: {how}": text
    for kind, forms in (("JAAS", JAAS), ("key", KEYS), ("token", TOKENS))
    for how, text in forms.items()
}
