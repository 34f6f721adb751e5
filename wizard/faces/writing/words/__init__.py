"""What is said by what several commands that write share."""
