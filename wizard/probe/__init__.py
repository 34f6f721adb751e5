"""What the running system says about its drives."""
