"""What a trial has a filesystem do."""
