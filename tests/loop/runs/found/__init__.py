"""Tests of runs recovered from their drives, despite a lost folder or a new drive name."""
