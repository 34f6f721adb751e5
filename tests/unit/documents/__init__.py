"""Tests of documents: read as written, or refused."""
