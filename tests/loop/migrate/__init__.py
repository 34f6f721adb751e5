"""From an old ext to ext4, on real filesystems."""
