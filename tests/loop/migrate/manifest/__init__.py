"""Tests of manifests and fingerprints of filesystems."""
