"""What the programs say that give a filesystem another size."""
