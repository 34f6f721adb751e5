"""What stands against a migration, or is good to know before it."""
