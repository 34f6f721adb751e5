"""Disposable demo drive with an old, bad layout."""
