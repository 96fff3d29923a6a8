"""KAFKA-8069: committed offsets expire immediately when the coordinator loads them again."""
