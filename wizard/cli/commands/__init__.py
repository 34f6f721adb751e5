"""Commands for what was done: how it stands, and the way on or back."""
