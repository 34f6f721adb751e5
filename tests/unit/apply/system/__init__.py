"""Tests of changes to the system: fstab, udev rules, packages."""
