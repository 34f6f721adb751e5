"""Encryption, LVM, and volumes over several drives."""
