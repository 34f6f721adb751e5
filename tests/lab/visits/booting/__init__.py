"""Systems that start by GRUB, and start again once their partitions have moved."""
