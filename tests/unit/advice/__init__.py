"""Tests of the advice, with the studies and profiles behind it."""
