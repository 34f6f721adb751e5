"""The move on any drive: phases, windows, and the journal on the drive."""
