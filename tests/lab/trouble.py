"""The two ways in which the lab ends early."""


class CannotRun(Exception):
    """The lab has no means to start here; the sentence says why and what to install."""


class GuestTrouble(Exception):
    """A guest did not start, did not end in time, or its answer cannot be read."""
