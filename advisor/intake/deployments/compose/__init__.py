"""docker-compose."""
