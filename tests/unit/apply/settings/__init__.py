"""Tests of changing settings of mounted volumes."""
