"""Tests of conversions to ext4: detection, conditions and recommended methods."""
