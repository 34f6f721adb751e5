"""`python -m tests.lab.guest`: how a guest is made, started and talked to."""
