"""Dialogs outside the main path: pages, questions, installation and exit."""
