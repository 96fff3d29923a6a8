"""KIP-966: a broker that restarts with an empty disk leads, and the others drop their records."""
