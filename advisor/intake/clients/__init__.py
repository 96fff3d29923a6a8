"""Files of clients, and the settings that clients have."""
