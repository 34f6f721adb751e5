"""The wizard, and commands for the system that it runs on."""
