"""The way to root's end, and what it believes of what it is sent."""
