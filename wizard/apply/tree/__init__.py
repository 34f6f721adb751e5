"""What a tree of files is, file by file, so that it can be compared with another."""
