"""The wizard's window, before it stands."""
