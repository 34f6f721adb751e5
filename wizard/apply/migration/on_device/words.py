"""What is said of working on the device itself, with undo files."""

from wizard.model.said import Sentence

# Steps.
ELSEWHERE = Sentence("Step {step} works on another device than {device}.")

# Why the undo files cannot be relied on.

# Undoing and keeping.

# Reading it.
