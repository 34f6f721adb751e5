"""Commands that work out what could be done, as documents, and show those."""
