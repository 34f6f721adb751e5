"""The window, with views of our own making."""
