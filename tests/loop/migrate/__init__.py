"""Tests of the conversion from ext2 or ext3 to ext4, on real filesystems."""
