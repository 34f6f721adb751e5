"""Request root, and connect an unprivileged interface to the root process by a pipe."""
