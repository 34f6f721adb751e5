"""Documents: read as they were written, or refused."""
