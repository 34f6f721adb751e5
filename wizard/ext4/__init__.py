"""From an ext2 or ext3 filesystem to ext4: what stands in the way, which ways there are, and the steps of
one. Pure rules."""
