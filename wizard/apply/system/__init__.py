"""Drives in the running system: mounts, fstab, crypttab and kernel modules."""
