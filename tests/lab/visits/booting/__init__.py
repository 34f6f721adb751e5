"""Systems with GRUB that still boot after a move of their partitions."""
