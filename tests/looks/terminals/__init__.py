"""What reaches a terminal, byte for byte."""
