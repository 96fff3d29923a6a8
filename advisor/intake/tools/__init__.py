"""What Kafka's own tools print, and scripts that call them."""
