"""Moving partitions."""
