"""Screens on the text console, and hot-plugged drives."""
