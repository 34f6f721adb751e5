"""The steps of a plan: typed operations, and everything that is shown and run of each."""
