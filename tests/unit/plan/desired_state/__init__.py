"""Tests of the desired state of drives, and its comparison with the current one."""
