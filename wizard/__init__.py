"""diskwright: a terminal wizard that sets up disks on Linux."""

__version__ = "0.1.0"
