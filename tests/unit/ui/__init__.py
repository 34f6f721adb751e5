"""Tests of the wizard's screens, and of the line-by-line wizard."""
