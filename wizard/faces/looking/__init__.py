"""Commands that look at drives, and say what is known and advised."""
