"""The few widgets the wizard is made of: all draw text line by line, in characters that every console has."""
