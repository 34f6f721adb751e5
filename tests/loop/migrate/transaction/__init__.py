"""Tests of conversions as transactions, without device mapper."""
