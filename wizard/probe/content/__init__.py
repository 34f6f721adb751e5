"""Parse tables, superblocks and layers from recorded bytes."""
