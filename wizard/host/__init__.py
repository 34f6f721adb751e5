"""Services that all interfaces use to reach the rest of the program."""
