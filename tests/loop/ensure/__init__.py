"""What is wanted, as a file; and layouts in the words of other tools."""
