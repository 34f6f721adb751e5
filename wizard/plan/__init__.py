"""Plan drives from advice and requests: geometry in bytes, ordered operations, and their display."""
