"""Which filesystem and options suit the work, and why: pure rules over facts and profiles."""
