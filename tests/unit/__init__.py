"""Tests of rules on recorded and synthetic facts, without special requirements."""
