"""What a person can begin: plans, changes and migrations, seen alike by Review and Work."""
