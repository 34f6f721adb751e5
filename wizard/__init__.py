"""diskwright: set up, check and convert Linux disks from the terminal, with undo."""

__version__ = "1.0.0"
