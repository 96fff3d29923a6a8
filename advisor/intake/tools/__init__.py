"""Output of Kafka's command-line tools, and scripts that call them."""
