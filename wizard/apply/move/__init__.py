"""Moving a partition in place, so that a power cut at any moment costs nothing."""
