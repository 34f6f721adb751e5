"""Looking at a filesystem and what surrounds it before its migration; nothing is written."""
