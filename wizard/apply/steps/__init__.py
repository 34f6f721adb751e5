"""The steps of a plan, a module for each kind of thing that they make."""
