"""The wizard's desk, without a face, on real drives."""
