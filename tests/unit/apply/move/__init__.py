"""Moving a partition, with the power cut at every write."""
