"""`python -m tests.lab.restudy`: repeat the study of misaligned partitions."""
