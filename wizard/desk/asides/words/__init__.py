"""The sentences of the asides."""
