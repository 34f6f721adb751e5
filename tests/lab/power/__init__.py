"""Power cuts: log every write to a drive, and recreate each state that a cut can leave."""
