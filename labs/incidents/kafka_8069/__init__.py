"""KAFKA-8069: committed offsets expire at once when the coordinator loads them again."""
