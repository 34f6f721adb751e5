"""Tests of detecting shingled drives by the cost of writes."""
