"""Tests of the commands and their output."""
