"""How well a drive is, in words."""
