"""Tests of the facts about filesystems and their options."""
