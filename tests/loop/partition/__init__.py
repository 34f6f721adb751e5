"""Tests of one partition that is created, formatted, deleted or resized, and its neighbours."""
