"""What is handed out, tried where it is to run: the one file, and the medium."""
