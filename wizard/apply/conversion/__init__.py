"""Leading a filesystem to ext4: run, checked, and taken back."""
