"""Everything on every recorded machine."""
