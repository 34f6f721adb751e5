"""diskwright: a terminal wizard that sets up disks on Linux."""

__version__ = "1.0.0"
