"""Volumes in one volume group of LVM's."""
