"""Carrying out a plan: what must hold first, the steps, the checks at the end, and the way back."""
