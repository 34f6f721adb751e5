"""The command line: one module a command; data to stdout, narration to stderr."""
