"""Random programs and settings files, with the answers that the readers must not miss."""
