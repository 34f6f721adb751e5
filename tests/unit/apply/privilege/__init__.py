"""Tests of starting the root process, and of checks on its input."""
