"""Conversions from ext2 and ext3 to ext4, with a kernel that has the device mapper."""
