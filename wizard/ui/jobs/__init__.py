"""Jobs that a user can start: plans, changes and conversions, alike for Review and Work."""
