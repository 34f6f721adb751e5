"""What must hold before a plan is carried out."""
