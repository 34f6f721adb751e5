"""From an old ext to ext4, under a kernel that has the device mapper."""
