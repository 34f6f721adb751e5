"""The places on the way from the drives to the result, one a file."""
