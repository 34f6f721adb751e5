"""The program as a person uses it, by its faces and commands."""
