"""What the bytes on a device say of what lies there: signatures, superblocks, layers."""
