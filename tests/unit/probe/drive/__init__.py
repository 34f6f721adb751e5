"""Tests of facts that a drive reports."""
