"""What several commands, or the command line itself, say. A command's own sentences lie beside it."""
