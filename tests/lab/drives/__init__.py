"""The emulated drives: what there is of them, and how QEMU makes them."""
