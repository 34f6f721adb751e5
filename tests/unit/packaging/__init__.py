"""What is handed out: launcher, packages, wheel and manual pages."""
