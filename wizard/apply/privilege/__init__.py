"""Asking for root, and the pipe between a plain user's face and the process that has it."""
