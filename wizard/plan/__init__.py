"""From advice and wishes to a plan: geometry in bytes, operations in order, and how they are shown."""
