"""Programs of Java, Kotlin and Scala with Kafka's own clients."""
