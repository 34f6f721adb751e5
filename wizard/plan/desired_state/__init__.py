"""What is wanted of drives, held against what they are: which drive is meant, and how it differs."""
