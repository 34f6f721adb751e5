"""A disposable drive with an old, bad layout, to try everything on."""
