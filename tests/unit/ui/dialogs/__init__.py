"""Tests of dialogs and of measurements outside the plan."""
