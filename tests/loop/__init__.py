"""Tests on loop devices that the tests create. Root only."""
