"""The programs beneath: one way to run them, and which package brings each."""
