"""What the commands share that show: where text goes, and drives and measurements as text."""
