"""The sentences of the details."""
