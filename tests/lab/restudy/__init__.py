"""`python -m tests.lab.restudy`: the study of misaligned partitions, repeated."""
