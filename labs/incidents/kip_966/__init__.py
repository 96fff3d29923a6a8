"""KIP-966: a broker that comes back with an empty disk leads, and the others drop what they had."""
