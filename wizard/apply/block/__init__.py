"""Read and write block devices and scratch devices."""
