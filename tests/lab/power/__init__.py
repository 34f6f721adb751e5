"""Power cuts: every write of a drive is logged, and replayed to each state that a cut can leave."""
