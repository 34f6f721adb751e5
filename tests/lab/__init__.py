"""The lab: emulated drives under a real kernel, in a virtual machine whose root is this machine's own,
read-only."""
