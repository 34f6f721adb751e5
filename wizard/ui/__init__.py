"""The wizard without rendering: current screen, content and actions."""
