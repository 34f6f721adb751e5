"""Tests of sizes, geometry and messages."""
