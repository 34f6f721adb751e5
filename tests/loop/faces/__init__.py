"""Tests of the program's interfaces and commands, as a user runs them."""
