"""Tests of volumes: filesystems, layers below, and several drives."""
