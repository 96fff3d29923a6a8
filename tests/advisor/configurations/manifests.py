"""A manifest that a test completes."""

from __future__ import annotations

DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: orders}
spec:
  template:
    spec:
      containers:
      - name: orders
        image: acme/orders
"""
"""A Deployment with one container, whose variables may follow."""
