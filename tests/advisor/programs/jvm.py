"""Consumers and Kafka Streams applications in Java, Kotlin and Scala, without what a test puts in.

Each `%s` takes, in this order, the code of the loop and the methods beside it.
"""

from __future__ import annotations

_HEAD = (
    "import org.apache.kafka.clients.consumer.*;\nclass A { void run() {\n"
    "Properties p = new Properties();\n"
    'p.put("group.id", "g");\np.put("auto.offset.reset", "earliest");\n'
)
_CONSUMER = "KafkaConsumer<String, String> c = new KafkaConsumer<>(p);\n"
READER = f'{_HEAD}p.put("enable.auto.commit", "false");\n{_CONSUMER}%s\n}}}}\n'
AUTO_COMMIT = f"{_HEAD}{_CONSUMER}%s\n}}}}\n"
POLL = "ConsumerRecords<String, String> rs = c.poll(Duration.ofSeconds(1));\n"
LOOP = f"while (true) {{\n{POLL}%s\n}}"
IN_METHOD = f"{READER[:-3]}void h(Record r) {{ %s }} }}\n"
WITH_METHOD = f"{READER[:-3]}%s }}\n"
KOTLIN = (
    "import org.apache.kafka.clients.consumer.*\nfun main() {\nval p = Properties()\n"
    'p["group.id"] = "g"\np["auto.offset.reset"] = "earliest"\np["enable.auto.commit"] = "false"\n'
    "val c = KafkaConsumer<String, String>(p)\nwhile (true) {\nval rs = c.poll(d)\n%s\n}\n}\n%s\n"
)
SCALA = (
    "import org.apache.kafka.clients.consumer._\nobject A { def main(a: Array[String]): Unit = {\n"
    'val p = new Properties()\np.put("group.id", "g")\np.put("auto.offset.reset", "earliest")\n'
    'p.put("enable.auto.commit", "false")\nval c = new KafkaConsumer[String, String](p)\n'
    "while (true) {\nval rs = c.poll(d)\n%s\n}\n}\n%s}\n"
)
STREAMS = (
    "import org.apache.kafka.streams.*;\nclass A { void f() {\nProperties p = new Properties();\n"
    'p.put("application.id", "a");\np.put("replication.factor", 3);\n'
    "%s\nKafkaStreams s = new KafkaStreams(b.build(), p);\n} %s }\n"
)
JAVA_APP = """import org.apache.kafka.clients.consumer.*;
public class App {{
  {more}
  public static void main(String[] args) {{
    Properties p = new Properties();
    p.put("group.id", "g"); p.put("enable.auto.commit", "false");
    p.put("auto.offset.reset", "earliest");
    KafkaConsumer<String, String> c = new KafkaConsumer<>(p);
    c.subscribe(List.of("t"));
    {before}
    while (true) {{
      ConsumerRecords<String, String> rs = c.poll(Duration.ofMillis(100));
      {body}
    }}
  }}
}}
"""
"""A consumer in Java: what the class, the start and the body of the poll loop have in addition."""
