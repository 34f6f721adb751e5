"""Tests of measurements on real drives."""
