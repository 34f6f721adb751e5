"""Systems with GRUB that boot again after their partitions moved."""
