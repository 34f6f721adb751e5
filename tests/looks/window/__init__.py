"""The window with artificial views."""
