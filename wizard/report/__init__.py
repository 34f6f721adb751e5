"""A report of a whole run: what was found, advised, planned, measured, done and verified, as one HTML file or
as JSON."""
