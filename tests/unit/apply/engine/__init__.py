"""Tests of copying a scratch copy to its drive, and of the undo."""
