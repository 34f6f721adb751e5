"""Tests of the repository's pages, and of the tools that run tests and measurements."""
