"""What the running system says: sysfs, modules, and who uses which device."""
