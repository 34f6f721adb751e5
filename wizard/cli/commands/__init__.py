"""The commands of diskwright, one module each."""
