"""Tests of the visible output: pictures of every step, and bytes sent to a text console."""
