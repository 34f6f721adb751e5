"""Tests, in tiers: unit, loop, lab, looks, fresh."""
