"""Rules on made-up and recorded facts; needs nothing."""
