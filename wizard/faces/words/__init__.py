"""The sentences of the commands: a module for each, so that none loads those of another."""
