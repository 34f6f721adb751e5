"""The README's animation: the recording of its run, and its frames."""
