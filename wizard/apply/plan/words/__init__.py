"""What is said of a plan that is carried out, by what it is about."""
