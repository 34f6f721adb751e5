"""Output to a terminal, byte for byte."""
