"""What volumes are made of: filesystems, layers below, and several drives."""
