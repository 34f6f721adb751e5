"""Tests of running other programs."""
