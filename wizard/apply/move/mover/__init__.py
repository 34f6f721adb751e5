"""The move itself, on any drive: its phases and windows, and the journal that both leave there."""
