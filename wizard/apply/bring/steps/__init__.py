"""What a run that brings files does, step by step, and how it is taken back."""
