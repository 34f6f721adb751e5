"""`python -m tests.lab.guest`: create, start and control a guest."""
