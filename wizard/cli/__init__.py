"""Command line, one module per command. Data goes to stdout, progress to stderr."""
