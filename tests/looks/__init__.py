"""Tests of what is seen: pictures of every step, and the bytes that reach a text console."""
