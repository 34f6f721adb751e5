"""What somebody else, or a forged document, could do to a run and its drive."""
