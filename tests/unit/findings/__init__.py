"""What is found of drives and of what lies on them."""
