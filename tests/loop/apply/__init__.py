"""Tests of applying plans to real drives: success, refusal, interruption."""
