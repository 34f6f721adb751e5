"""What every run has: a folder, a journal, locks, a process of its own, and what it saved."""
