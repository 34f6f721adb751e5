"""Convert ext2 or ext3 to ext4: blockers, available methods and their steps. Pure rules."""
