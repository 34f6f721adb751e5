"""The lab: emulated drives under a real kernel, in a virtual machine with this machine's root, read-only."""
