"""Many conversations at once: throughput, overhead, and whether every result reaches its own call."""
