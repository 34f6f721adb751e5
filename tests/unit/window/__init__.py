"""Tests of the wizard's window before the first screen."""
