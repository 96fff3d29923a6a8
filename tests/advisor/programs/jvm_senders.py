"""Producers in Java, Kotlin and Scala, without the code that sends and the methods beside it."""

from __future__ import annotations

JAVA = (
    "import org.apache.kafka.clients.producer.*;\nclass A { void run() {\n"
    'Properties p = new Properties();\np.put("acks", "all");\n'
    "KafkaProducer<String, String> k = new KafkaProducer<>(p);\n%s\n}%s\n}\n"
)
KOTLIN = (
    "import org.apache.kafka.clients.producer.*\nfun run() {\nval p = Properties()\n"
    'p["acks"] = "all"\nval k = KafkaProducer<String, String>(p)\n%s\n}\n%s\n'
)
SCALA = (
    "import org.apache.kafka.clients.producer._\nobject A { def run(): Unit = {\n"
    'val p = new Properties()\np.put("acks", "all")\n'
    "val k = new KafkaProducer[String, String](p)\n%s\n}\n%s\n}\n"
)
CLASS = "new Callback() { public void onCompletion(RecordMetadata m, Exception e) { %s } }"
