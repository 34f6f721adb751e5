"""Parts of every run: folder, journal, locks, process and saved bytes."""
