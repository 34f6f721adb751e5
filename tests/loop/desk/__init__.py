"""Tests of the wizard's logic on real drives, without a screen."""
