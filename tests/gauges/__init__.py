"""Size, shape and English of the project, each with a ceiling that may only fall."""
