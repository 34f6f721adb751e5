"""One file for each filesystem: what it is called, how it is made and checked, and what it cannot do. Adding
one is adding its file."""
