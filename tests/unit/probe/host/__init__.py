"""What the kernel, its devices and the distribution say; and the processes that ask."""
