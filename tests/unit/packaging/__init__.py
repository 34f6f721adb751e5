"""Tests of the launcher, packages, wheel and manual pages."""
