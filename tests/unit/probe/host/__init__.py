"""Tests of facts from the kernel, its devices and the distribution, and of the probe's processes."""
