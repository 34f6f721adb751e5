"""Tests of the benchmarks for alignment and filesystems, without a drive."""
