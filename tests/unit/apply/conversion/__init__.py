"""What a migration measures and compares."""
