"""Reads the settings of the products from the products, and writes the catalog's facts.

`python -m labs.maintenance.products` (or `make catalog`) reads, on a JVM, the ConfigDefs of every
Kafka release in `releases.KAFKA` and the constants of every Spark connector in `releases.SPARK`,
and the property table of every librdkafka in `releases.LIBRDKAFKA`, and writes
`advisor/catalog/generated/`. The product itself does not run this code.
"""
