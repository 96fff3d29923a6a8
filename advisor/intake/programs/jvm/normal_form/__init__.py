"""One form for what programs of Java, Kotlin and Scala can write in several."""
