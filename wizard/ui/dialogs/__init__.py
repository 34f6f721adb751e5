"""Places that lie beside the way: pages to read, questions, what is installed, the end."""
