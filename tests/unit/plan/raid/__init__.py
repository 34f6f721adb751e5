"""Tests of volumes over several drives."""
