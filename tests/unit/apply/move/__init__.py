"""Tests of moving partitions, with a power cut at every write."""
