"""What the running system knows of drives: mounts, fstab, crypttab, the kernel's modules."""
