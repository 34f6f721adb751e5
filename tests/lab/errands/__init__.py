"""Visits, and how they are paid."""
