"""Volumes on several drives or in one LVM volume group."""
