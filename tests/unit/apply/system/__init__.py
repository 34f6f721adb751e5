"""What is written of the system: fstab, udev's rules, packages."""
