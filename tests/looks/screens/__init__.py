"""The wizard's screens, by keys."""
