"""Tables as they are written."""
