"""Tests of the screens from the drives to the final confirmation."""
