"""Asks the products which settings they have, and writes the answer into the catalog's facts.

`python -m labs.maintenance.products` (or `make catalog`) reads, on a JVM, the ConfigDefs of every
Kafka release in `releases.KAFKA` and the constants of every Spark connector in `releases.SPARK`,
and the property table of every librdkafka in `releases.LIBRDKAFKA`, and writes
`advisor/catalog/generated/`. Nothing here runs in the product.
"""
