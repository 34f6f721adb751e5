"""The sentences about installing packages."""

from wizard.model.said import Sentence

NEEDS_ROOT = Sentence("Installing needs root. Run: sudo diskwright install {programs}")
