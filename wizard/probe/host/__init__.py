"""Facts from the running system: sysfs, modules, and uses of devices."""
