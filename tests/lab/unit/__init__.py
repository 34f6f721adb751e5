"""Parts of the lab that need no guest."""
