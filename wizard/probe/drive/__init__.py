"""Facts that a drive reports about itself."""
