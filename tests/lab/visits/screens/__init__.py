"""What is seen and done on the text console, and drives that come and go meanwhile."""
