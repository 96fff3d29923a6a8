"""Programs of Java, Kotlin and Scala with Kafka's Java clients."""
