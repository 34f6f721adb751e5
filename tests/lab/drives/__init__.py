"""The emulated drives, and how QEMU creates them."""
