"""One partition that is made, emptied or given another size, and its neighbours."""
