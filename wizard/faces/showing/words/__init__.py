"""What is said by what several commands show."""
