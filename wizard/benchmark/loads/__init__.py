"""Loads of a benchmark. Each module that defines `LOAD` is found automatically."""
