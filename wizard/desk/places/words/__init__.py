"""The sentences of the places."""
