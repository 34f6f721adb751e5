"""Tests on loop devices that they make themselves; they need root."""
