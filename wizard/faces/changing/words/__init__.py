"""Their sentences: a module for each command, so that none loads those of another."""
